//! The lines that a tool takes, as the reference of `#[tool]` tells them.

const REFERENCE: &str = include_str!("../../../../macros/src/reference/tool.md");

/// The lines of a program that say something: none that is empty, that imports, or that is hidden in docs.
fn lines(program: &str) -> usize {
    let is_written =
        |line: &&str| !line.trim().is_empty() && !line.starts_with("use ") && !line.starts_with("# ");
    program.lines().filter(is_written).count()
}

#[test]
fn the_reference_counts_its_own_programs() {
    let (_, chapter) = REFERENCE.split_once("# How much there is to write").expect("the chapter is there");
    let (chapter, _) = chapter.split_once("\n# Each option").expect("another follows");
    let (table, programs) = chapter.split_once("```\n").expect("programs follow the table");
    let counted: Vec<usize> = programs.split("```\n").step_by(2).map(lines).collect();
    let told: Vec<usize> =
        table.lines().filter_map(|row| row.split('|').nth(2)?.trim().parse().ok()).collect();
    assert_eq!(told, counted, "{table}");
    assert_eq!(told.len(), 2);
}
