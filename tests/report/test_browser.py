"""A page in a real browser, at the width of a phone: nothing is cut off, nothing is loaded, nothing runs."""

from __future__ import annotations

import json
import re

import pytest
from browser import HOST
from receipts import receipt_of, table_receipt_of

from hushcount.report import report_page

PHONE = 390

FRAME = """<!DOCTYPE html><title>frame</title><iframe id="f" src="/page" style="width:{width}px;height:800px;border:0">
</iframe><script>
const lines = cell => {{
  const text = new Range();
  text.selectNodeContents(cell);
  return new Set([...text.getClientRects()].map(line => line.top)).size;
}};
addEventListener("load", () => {{
  const page = document.getElementById("f").contentDocument, all = [...page.querySelectorAll("body *")];
  const beyond = all.filter(e => !e.closest("svg, .wide") && e.getBoundingClientRect().right > {width} + 0.5);
  const small = all.filter(e => e.childNodes.length && [...e.childNodes].some(c => c.nodeType == 3 && c.data.trim()))
    .map(e => parseFloat(page.defaultView.getComputedStyle(e).fontSize));
  const column = (page.querySelector("main") || page.body).getBoundingClientRect().width;
  const pictures = [...page.querySelectorAll("figure > svg")].map(e => e.getBoundingClientRect().width / column);
  const gaps = [...page.querySelectorAll(".wide tr")].map(line => {{
    const [count, set] = [...line.children].slice(-2).map(cell => {{
      const text = new Range();
      text.selectNodeContents(cell);
      return text.getBoundingClientRect();
    }});
    return set.left - count.right;
  }});
  document.body.innerHTML = "<pre id=found>" + JSON.stringify({{
    width: page.documentElement.scrollWidth, beyond: beyond.length, elements: all.length, smallest: Math.min(...small),
    broken: [...page.querySelectorAll("tbody th")].filter(e => e.textContent.length <= 14 && lines(e) > 1).length,
    narrowest: Math.min(...pictures), gap: Math.min(...gaps), title: page.title, scripts: page.scripts.length,
  }}) + "</pre>";
}});
</script>"""


@pytest.fixture
def seen(browser):
    """What a page is like on a screen of a width, and what it asked for."""

    def seen(page, width=PHONE):
        dom = browser.dom_of({"/": FRAME.format(width=width), "/page": page})
        found = re.search(r'<pre id="found">(.*?)</pre>', dom)
        assert found is not None, dom
        assert f"{HOST}/page" in browser.asked  # by the frame
        return json.loads(found[1]), browser.asked - {f"{HOST}/page", f"{HOST}/favicon.ico"}

    return seen


@pytest.fixture(scope="module")
def page():
    keys = ["<script>document.title='ran'</script>", "x" * 200, "a long name of several words, all of them long", None]
    return report_page(
        [
            receipt_of("nearest", 10**12, "0.5", released=10**11),
            table_receipt_of(["region", "y" * 60], [(key, key) for key in keys], [120, 40, 3, 0, 990], 5000),
            table_receipt_of(
                ["age", "region", "sex"],
                [(age, "North Rhine-Westphalia", sex) for age in ("0-17", "18-64", None) for sex in ("f", None)],
                [1200] * 7,
                5000,
            ),
            table_receipt_of(["k"], list(range(40)), list(range(40)), 60, 1, adjacency="add-remove"),
        ],
        title="Counts of people, by region and by a word that is long: " + "z" * 80,
    )


@pytest.mark.slow
@pytest.mark.parametrize("width", [PHONE, 320, 1200])
def test_a_page_fits_and_loads_nothing(seen, page, width):
    found, asked = seen(page, width)
    assert asked == set()
    assert (found["width"], found["beyond"]) == (width, 0)
    assert found["elements"] > 300
    assert found["smallest"] >= 9.5
    assert found["narrowest"] >= 0.9  # a picture fills its column
    assert found["gap"] >= 12  # between the released count and its set
    assert found["title"].startswith("Counts of people")
    assert found["scripts"] == 0
    assert found["broken"] == 0


@pytest.mark.slow
def test_a_page_that_does_not_is_seen_not_to(seen):
    """The negative control of the test above."""
    cell = "<table><tbody><tr><th style='max-width:3em;overflow-wrap:anywhere'>(missing)</th></tr></tbody></table>"
    wide = "<div style='width:500px'>wide</div><img src='http://elsewhere.test/i.png'>"
    bad = f"<title>x</title><body>{cell}{wide}<script>"
    found, asked = seen(f"{bad}document.title = 'ran'</script>")
    assert asked == {"http://elsewhere.test/i.png"}
    assert found["width"] > PHONE
    assert (found["beyond"], found["title"], found["scripts"], found["broken"]) == (1, "ran", 1, 1)


@pytest.mark.slow
def test_the_policy_of_a_page_stops_what_would_run_or_load(seen, page):
    """Even if a text were not escaped."""
    inside = "<script>document.title = 'ran'</script><img src='http://elsewhere.test/i.png'></main>"
    found, asked = seen(page.replace("</main>", inside))
    assert asked == set()
    assert found["scripts"] == 1
    assert found["title"] != "ran"
