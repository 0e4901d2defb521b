"""Exchanges in YAML, gone through as text: answers have the calls, the longest request the results."""

import base64
import gzip
import re


def count(path):
    text = open(path).read()
    answers, requests = [], []
    for part in re.split(r"(?m)^- request:", text)[1:]:
        asked, answered = re.split(r"(?m)^  response:", part)
        requests.append(asked)
        packed = re.search(r"!!binary \|\n((?: +[A-Za-z0-9+/=]+\n)+)", answered)
        answers.append(gzip.decompress(base64.b64decode(packed[1])).decode() if packed else answered)
    call = r'(?:type: tool_use$|^ +- function:$|type: function_call$|"type":"tool_use")'
    result = r"(?:type: tool_result$|role: tool$|type: function_call_output$)"
    found = [len(re.findall("(?m)" + call, answer)) for answer in answers]
    results = max(len(re.findall("(?m)" + result, request)) for request in requests)
    # The tools that a Responses answer repeats are no calls; they are `type: function`.
    return sum(map(bool, found)), sum(found), results, 0
