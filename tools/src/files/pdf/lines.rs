//! Text that stands at places on a page, as lines: a new one where the place is above or below, a space where there is a
//! gap.

/// How far a text may stand above or below the one before it and still be on its line, in heights of its letters.
const ACROSS_MAX: f64 = 0.5;
/// From how far on a line is left empty.
const EMPTY_LINE: f64 = 2.0;
/// How wide a gap is that parts words, in heights of letters.
const GAP: f64 = 0.15;
/// How wide a gap is that parts columns.
const COLUMN_GAP: f64 = 2.5;
/// How far back a text may begin that goes on in the same line.
const BACK_MAX: f64 = 0.75;
/// The cosine of the angle up to which two texts have the same direction.
const SAME_DIRECTION: f64 = 0.95;

/// A map of the plane: `x' = a x + c y + e`, `y' = b x + d y + f`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix(pub(super) [f64; 6]);

impl Matrix {
    /// The map that changes nothing.
    pub(super) const SAME: Matrix = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// The map that moves.
    pub(super) fn shift(x: f64, y: f64) -> Matrix {
        Matrix([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// This map, and then another.
    pub(super) fn then(self, next: Matrix) -> Matrix {
        let (Matrix([a, b, c, d, e, f]), Matrix(n)) = (self, next);
        Matrix([
            a * n[0] + b * n[2],
            a * n[1] + b * n[3],
            c * n[0] + d * n[2],
            c * n[1] + d * n[3],
            e * n[0] + f * n[2] + n[4],
            e * n[1] + f * n[3] + n[5],
        ])
    }

    /// Where the origin comes to lie.
    fn origin(self) -> [f64; 2] {
        [self.0[4], self.0[5]]
    }

    /// Which way a line of text runs: a direction of length 1.
    fn direction(self) -> [f64; 2] {
        let length = self.0[0].hypot(self.0[1]);
        if length > 0.0 { [self.0[0] / length, self.0[1] / length] } else { [1.0, 0.0] }
    }

    /// How high a letter of height 1 becomes.
    fn height(self) -> f64 {
        self.0[2].hypot(self.0[3])
    }
}

/// Text that is shown, with the maps of its first and behind its last letter. A letter is 1 high before them.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) begins: Matrix,
    pub(super) ends: Matrix,
}

/// Texts in the order in which they are shown, as lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    text: String,
    last: Option<Matrix>,
}

impl Lines {
    /// Adds a text behind what there is.
    pub(super) fn add(&mut self, shown: &Shown) {
        if shown.text.is_empty() {
            return;
        }
        let between = self.last.map_or("", |last| between(last, shown.begins));
        let is_needless = between == " " && (self.text.ends_with(' ') || shown.text.starts_with(' '));
        if !is_needless {
            self.text.push_str(between);
        }
        self.text.push_str(&shown.text);
        self.last = Some(shown.ends);
    }

    /// Goes on from where a text ends that is said in other words.
    pub(super) fn pass(&mut self, ends: Matrix) {
        self.last = self.last.map(|_before| ends);
    }

    /// How many bytes there are.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The lines, without white space at their ends.
    pub(super) fn into_text(self) -> String {
        let lines: Vec<&str> = self.text.split('\n').map(str::trim_end).collect();
        lines.join("\n").trim_matches('\n').to_owned()
    }
}

/// What stands between the end of a text and the beginning of the next.
fn between(end: Matrix, next: Matrix) -> &'static str {
    let (direction, height) = (end.direction(), end.height().max(next.height()));
    let [x, y] = [next.origin()[0] - end.origin()[0], next.origin()[1] - end.origin()[1]];
    let along = x * direction[0] + y * direction[1];
    let across = (y * direction[0] - x * direction[1]).abs();
    let turned = direction[0] * next.direction()[0] + direction[1] * next.direction()[1];
    // What cannot be told, since a number is no number, goes on as it is.
    if turned < SAME_DIRECTION || across > EMPTY_LINE * height {
        "\n\n"
    } else if across > ACROSS_MAX * height || along < -BACK_MAX * height {
        "\n"
    } else if along > COLUMN_GAP * height {
        "   "
    } else if along > GAP * height {
        " "
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of 10 points, each letter half as wide as high, at places.
    fn lines(shown: &[(&str, f64, f64)]) -> String {
        let mut lines = Lines::default();
        for (text, x, y) in shown {
            let size = Matrix([10.0, 0.0, 0.0, 10.0, 0.0, 0.0]);
            let width = text.chars().count() as f64 * 5.0;
            let [begins, ends] = [*x, x + width].map(|x| size.then(Matrix::shift(x, *y)));
            lines.add(&Shown { text: (*text).to_owned(), begins, ends });
        }
        lines.into_text()
    }

    #[test]
    fn places_become_spaces_and_lines() {
        assert_eq!(lines(&[("one", 0.0, 700.0), ("two", 18.0, 700.0)]), "one two");
        assert_eq!(lines(&[("on", 0.0, 700.0), ("e", 10.5, 700.0)]), "one");
        assert_eq!(lines(&[("one ", 0.0, 700.0), ("two", 23.0, 700.0)]), "one two");
        assert_eq!(lines(&[("one", 0.0, 700.0), ("two", 0.0, 688.0)]), "one\ntwo");
        assert_eq!(lines(&[("one", 0.0, 700.0), ("two", 0.0, 660.0)]), "one\n\ntwo");
        assert_eq!(lines(&[("E = mc", 0.0, 700.0), ("2", 30.0, 704.0)]), "E = mc2");
        assert_eq!(lines(&[("left", 0.0, 700.0), ("right", 200.0, 700.0)]), "left   right");
        assert_eq!(lines(&[("b", 50.0, 700.0), ("a", 0.0, 700.0)]), "b\na");
        assert_eq!(lines(&[("", 0.0, 0.0)]), "");
        assert_eq!(lines(&[("a", f64::NAN, f64::INFINITY), ("b", 0.0, 0.0)]).replace('\n', ""), "ab");
    }

    #[test]
    fn maps_come_one_after_another() {
        let double = Matrix([2.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
        assert_eq!(Matrix::shift(1.0, 2.0).then(double).origin(), [2.0, 4.0]);
        assert_eq!(double.then(Matrix::shift(1.0, 2.0)).origin(), [1.0, 2.0]);
        let turn = Matrix([0.0, 1.0, -1.0, 0.0, 0.0, 0.0]);
        assert_eq!((turn.direction(), double.height()), ([0.0, 1.0], 2.0));
    }
}
