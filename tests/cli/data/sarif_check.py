# SPDX-License-Identifier: Apache-2.0
"""sarif_check.py FILE: what SARIF 2.1.0 (OASIS, 27 March 2020) asks of a log file, by its sections."""
import json
import re
import sys


def need(condition, what):
    if not condition:
        raise SystemExit(what)


def only(what, found, allowed):
    need(set(found) <= set(allowed.split()), f"{what}: unexpected {set(found) - set(allowed.split())}")


def check_message(message, what):  # 3.11
    only(what, message, "text")
    need(message.get("text"), f"{what}: no text")


def check_location(location):  # 3.28
    only("location", location, "physicalLocation logicalLocations id message")
    if "message" in location:
        check_message(location["message"], "message of a location")
    physical = location.get("physicalLocation")
    if physical:  # 3.29, 3.30
        uri = physical["artifactLocation"]["uri"]
        need(re.fullmatch(r"([A-Za-z][A-Za-z0-9+.-]*:)?([A-Za-z0-9._~/-]|%[0-9A-F]{2})+", uri),
             f"uri {uri}")
        region = physical.get("region", {"startLine": 1})
        for key in ("startLine", "startColumn"):
            need(isinstance(region.get(key, 1), int) and region.get(key, 1) >= 1, f"{key} {region}")
    for logical in location.get("logicalLocations", []):  # 3.33
        only("logicalLocation", logical, "fullyQualifiedName decoratedName kind")
        need(logical["kind"] == "function", "kind")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        log = json.load(file)
    only("log", log, "$schema version runs")
    need(log["version"] == "2.1.0", "3.13.2: version")
    (run,) = log["runs"]
    only("run", run, "tool columnKind results invocations")
    for invocation in run.get("invocations", []):  # 3.20, 3.58
        need(isinstance(invocation["executionSuccessful"], bool), "3.20.14: executionSuccessful")
        for notification in invocation["toolExecutionNotifications"]:
            only("notification", notification, "level message")
            check_message(notification["message"], "message of a notification")
    driver = run["tool"]["driver"]
    need(driver["name"], "3.19.8: name")
    need(re.fullmatch(r"\d+\.\d+\.\d+", driver["semanticVersion"]), "3.19.12: semanticVersion")
    ids = [rule["id"] for rule in driver["rules"]]
    need(len(ids) == len(set(ids)), "a rule is there twice")
    for rule in driver["rules"]:  # 3.49
        for part in ("shortDescription", "fullDescription", "help"):
            check_message(rule[part], part)
    for result in run["results"]:  # 3.27
        only("result", result, "ruleId ruleIndex level message locations properties relatedLocations suppressions")
        need(ids[result["ruleIndex"]] == result["ruleId"], "3.27.6: ruleIndex")
        need(result["level"] in ("none", "note", "warning", "error"), "3.27.10: level")
        check_message(result["message"], "message")
        for location in result["locations"]:
            check_location(location)
        ids_of = [location["id"] for location in result.get("relatedLocations", [])]
        need(len(ids_of) == len(set(ids_of)), "3.28.2: an id is there twice")
        for location in result.get("relatedLocations", []):  # 3.27.22
            need("message" in location, "a related location without message")
            check_location(location)
        for suppression in result.get("suppressions", []):  # 3.35
            only("suppression", suppression, "kind justification")
            need(suppression["kind"] in ("inSource", "external"), "3.35.3: kind")
        for key, value in result["properties"].items():
            need(value is not None, f"property {key} is null")
    print(f"{len(run['results'])} results, {len(ids)} rules")


main()
