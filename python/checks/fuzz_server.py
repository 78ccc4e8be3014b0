"""Asks the server whatever its own description allows. No answer may be an error of the server's,
and each must be one that the description promises.

    .venv/bin/python python/checks/fuzz_server.py PATH-TO-LUCENA

Starts the server in a folder of its own. Events of jobs are left out: such an answer has no end.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

EXAMPLES = "8"


def main():
    binary = sys.argv[1]
    schemathesis = pathlib.Path(sys.executable).parent / "schemathesis"
    if not schemathesis.exists():
        sys.exit("schemathesis is not installed: pip install -r python/requirements.txt")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        command = [binary, "serve", "--port", "0"]
        for option in ["tables", "runs", "reports"]:
            command += [f"--{option}", str(folder / option)]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            address = re.search(r"http://\S+", server.stdout.readline())[0]
            asked = subprocess.run(
                [
                    schemathesis,
                    "run",
                    f"{address}api/openapi.json",
                    "--checks=not_a_server_error,status_code_conformance,"
                    "content_type_conformance,response_schema_conformance",
                    "--phases=examples,coverage,fuzzing",
                    f"--max-examples={EXAMPLES}",
                    "--seed=1",
                    "--request-timeout=60",
                    "--exclude-path-regex=/events$",
                    "--no-color",
                ],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            alive = server.poll() is None
        finally:
            server.kill()
            server.wait()
    print("\n".join(asked.stdout.splitlines()[-25:]))
    if asked.returncode or not alive:
        print(asked.stdout)
        sys.exit("the server has failed" if alive else "the server has ended")


main()
