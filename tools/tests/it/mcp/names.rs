//! The names of remote tools: legal, short, distinct, and the same whatever came first.

use toolwright_tools::mcp::client::ServerNames;

fn name(servers: &[&str], server: &str, tools: &[&str], tool: &str) -> String {
    let names = ServerNames::of_all(servers);
    let at = servers.iter().position(|other| *other == server).expect("it is one of them");
    let of = tools.iter().position(|other| *other == tool).expect("it is one of them");
    names[at].of_tools(tools)[of].clone()
}

/// copilot-cli#1879; gemini's mcp-tool.ts; onyx#12694, sourcebot#1423; microsoft-agentic-harness#373.
#[test]
fn names_are_legal_and_distinct() {
    assert_eq!(name(&["x"], "x", &["a.b/c"], "a.b/c"), "mcp__x__a_b_c");
    assert_eq!(
        name(&["linear-server"], "linear-server", &["create_issue"], "create_issue"),
        "mcp__linear-server__create_issue"
    );
    let raw = [
        ("my_server", "t"),
        ("my server", "t"),
        ("my.server", "t"),
        ("a_b", "c"),
        ("a", "b_c"),
        ("a__b", "c"),
        ("a", "b__c"),
        ("cat", "catalog.query"),
        ("cat", "catalog_query"),
        ("cat", "catalog query"),
        ("", ""),
        ("größe", "ü"),
        ("a_", "_b"),
        ("a", "__b"),
        ("a___b", "c"),
    ];
    let mut servers: Vec<&str> = raw.iter().map(|(server, _)| *server).collect();
    servers.sort_unstable();
    servers.dedup();
    let mut seen = std::collections::BTreeMap::new();
    for (server, tool) in raw {
        let tools: Vec<&str> =
            raw.iter().filter(|(other, _)| *other == server).map(|(_, tool)| *tool).collect();
        let name = name(&servers, server, &tools, tool);
        assert!(name.len() <= 64 && name.starts_with("mcp__"), "{name}");
        assert!(
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'),
            "{name}"
        );
        let other = seen.insert(name.clone(), (server, tool));
        assert!(other.is_none(), "{name}: {other:?} and {:?}", (server, tool));
    }
}

/// chrome-devtools-mcp#1169, vscode#243602, fastapi_mcp#161.
#[test]
fn long_names_are_cut_and_stay_distinct() {
    let server = "plugin_chrome-devtools-mcp_chrome-devtools-with-more";
    let tools = ["get_console_message", "get_console_messages", "get_console_message_by_id"];
    let mut names: Vec<String> = tools.iter().map(|tool| name(&[server], server, &tools, tool)).collect();
    assert!(names.iter().all(|name| name.len() <= 64 && name.starts_with("mcp__plugin_chrome")), "{names:?}");
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 3);
    assert_eq!(name(&["s"], "s", &[&"x".repeat(56)], &"x".repeat(56)).len(), 64, "what fits is not cut");
}

#[test]
fn what_collides_gets_a_hash_on_every_side_in_any_order() {
    let forward = ["catalog.query", "catalog_query", "other"];
    let backward = ["other", "catalog_query", "catalog.query"];
    for tool in forward {
        assert_eq!(name(&["s"], "s", &forward, tool), name(&["s"], "s", &backward, tool));
    }
    assert_eq!(name(&["s"], "s", &forward, "other"), "mcp__s__other");
    for tool in &forward[..2] {
        let hashed = name(&["s"], "s", &forward, tool);
        assert!(hashed.starts_with("mcp__s__catalog_query_"), "{hashed}");
    }
    let (servers, swapped) = (["my server", "my_server"], ["my_server", "my server"]);
    for server in servers {
        let named = name(&servers, server, &["t"], "t");
        assert_eq!(named, name(&swapped, server, &["t"], "t"));
        assert!(named.starts_with("mcp__my_server__t_"), "{named}");
    }
}
