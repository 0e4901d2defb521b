#!/bin/sh
# A server of the older era, over standard streams, that misbehaves as its argument says.
kind=$1
lists=0
calls=0

say() { printf '%s\n' "$1"; }
reply() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
refuse() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no such method\"}}"; }
text() { reply "{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
changed() { say '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'; }
# $1: the name, $2: the schema's properties
tool() { printf '{"name":"%s","description":"Does it.","inputSchema":{"type":"object","properties":{%s}}}' "$1" "$2"; }
usual() { reply "{\"tools\":[$(tool act '"n":{"type":"integer"}')]}"; }
# $1: how many characters
long() { head -c "$1" /dev/zero | tr '\0' x; }

list() {
    lists=$((lists + 1))
    case $kind in
    silent-list) ;;
    storm)
        echo list >>lists
        reply "{\"tools\":[$(tool act),$(tool "act_$lists")]}"
        changed
        ;;
    pages) reply "{\"tools\":[$(tool "act$lists")],\"nextCursor\":\"again\"}" ;;
    endless-pages) reply "{\"tools\":[],\"nextCursor\":\"$lists\"}" ;;
    names)
        wild='\u001b[31mred\nline \u202eright'
        reply "{\"tools\":[$(tool "$wild"),$(tool ''),$(tool act),{\"name\":\"talks\",\"title\":\"$(long 100000)\",\"description\":\"$(long 1000000)\",\"inputSchema\":{\"type\":\"object\"}}]}"
        ;;
    schemas)
        circle='"more":{"$ref":"#"}'
        wrong='"n":{"type":"no type"}'
        away='"n":{"$ref":"http://127.0.0.1:9/schema.json"}'
        pattern='"n":{"type":"string","pattern":"(?=look)around"}'
        reply "{\"tools\":[$(tool circle "$circle"),$(tool wrong "$wrong"),$(tool away "$away"),$(tool pattern "$pattern"),$(tool huge "\"n\":{\"type\":\"string\",\"description\":\"$(long 200000)\"}"),$(tool act)]}"
        ;;
    many)
        awk -v id="$id" -v count="$2" 'BEGIN {
            printf "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"tools\":[", id
            for (n = 0; n < count; n++) printf "%s{\"name\":\"act%d\",\"inputSchema\":{\"type\":\"object\"}}", (n ? "," : ""), n
            print "]}}"
        }'
        ;;
    *) usual ;;
    esac
}

call() {
    calls=$((calls + 1))
    case $kind in
    garbage)
        for noise in 'not json' '{"jsonrpc":' '[]' '{"jsonrpc":"2.0"}' '{"jsonrpc":"2.0","id":[],"result":{}}' ''; do say "$noise"; done
        say '{"jsonrpc":"2.0","method":"notifications/unheard","params":{"of":1}}'
        say '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":77,"progress":1}}'
        say '{"jsonrpc":"2.0","id":500,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}'
        text fine
        ;;
    flood) yes '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}' ;;
    oversize)
        if [ "$calls" = 1 ] && mkdir was 2>/dev/null; then
            long 17000000
            say ''
        else
            text fine
        fi
        ;;
    twice)
        text "first $calls"
        text "second $calls"
        ;;
    wrong-id)
        own=$id
        id=987654
        text other
        id='"text"'
        text other
        id=$own
        text fine
        ;;
    wrong-kind) reply '{"tools":[]}' ;;
    dies) if mkdir died 2>/dev/null; then exit 3; else text fine; fi ;;
    images)
        html='PGh0bWw+PC9odG1sPg=='
        gif='R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
        image() { printf '{"type":"image","mimeType":"%s","data":"%s"}' "$1" "$2"; }
        reply "{\"content\":[$(image image/png "$html"),$(image image/png '*no*base*'),$(image image/png "$gif"),$(image text/html "$html"),{\"type\":\"odd\",\"of\":1},{\"type\":\"text\",\"text\":\"end\"}]}"
        ;;
    *) text fine ;;
    esac
}

while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([^,}]*\).*/\1/p')
    case $line in
    *'"method":"server/discover"'*) if [ "$kind" = vague ]; then reply '{}'; else refuse; fi ;;
    *'"method":"initialize"'*)
        [ "$kind" = silent ] ||
            reply '{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"peer","version":"1"}}'
        ;;
    *'"method":"tools/list"'*) list "$@" ;;
    *'"method":"tools/call"'*) call ;;
    esac
done
