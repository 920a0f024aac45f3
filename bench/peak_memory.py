"""Run Python code in a process of its own and print that process's largest resident size in bytes.

A process that does nothing else is asked for the size: Linux lets a child start with its parent's peak.
"""

import resource
import subprocess
import sys

if __name__ == "__main__":
    subprocess.run([sys.executable, "-c", sys.argv[1]], check=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(peak if sys.platform == "darwin" else peak * 1024)
