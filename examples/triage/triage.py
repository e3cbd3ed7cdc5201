"""read: lists the issues without a verdict. write: stores one verdict if its labels and priority exist."""
import json
import os
import sys

document = json.load(sys.stdin)
params = document["params"]


def lines(path):
    return [json.loads(line) for line in open(path)] if os.path.exists(path) else []


def read():
    done = {line["number"] for line in lines(params["to"])}
    issues = [issue for issue in lines(params["from"]) if issue["number"] not in done]
    items = [{"title": f"#{issue['number']} {issue['title']}", "context": issue.get("body") or issue["title"]} for issue in issues]
    return {"workItems": items}


def write():
    verdict = document["state"]["verdict"]
    odd = [label for label in verdict.get("labels", []) if label not in params["labels"]]
    if odd or not verdict.get("labels"):
        return {"satisfied": False, "context": f"there is no label {', '.join(odd) or 'given'}"}
    if verdict.get("priority") not in params["priorities"]:
        return {"satisfied": False, "context": f"there is no priority {verdict.get('priority')}"}
    number = int(document["item"]["title"].split()[0].lstrip("#"))
    with open(params["to"], "a") as out:
        out.write(json.dumps({"number": number, **verdict}) + "\n")
    return {"satisfied": True, "context": f"#{number}: {', '.join(verdict['labels'])}"}


json.dump({"read": read, "write": write}[sys.argv[1]](), sys.stdout)
