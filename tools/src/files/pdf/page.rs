//! What a page shows: its operators, one after another, as far as they have to do with text.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::PdfError;
use super::document::Document;
use super::font::{Font, UNKNOWN};
use super::glyphs::Known;
use super::lines::{Lines, Matrix, Shown};
use super::object::{Dictionary, Object, Reader, References};

/// How many operands an operator has at the most that matters; further ones are forgotten.
const OPERANDS_MAX: usize = 8;
/// How many operators are looked at of a page, what it shows again included.
const OPERATORS_MAX: usize = 10_000_000;
/// After how many operators it is asked whether there is time left.
const OPERATORS_STEP: usize = 1_000;
/// How often a page may show something that stands by itself.
const FORMS_MAX: usize = 10_000;
/// How deep what stands by itself may stand in its like.
const DEPTH_MAX: usize = 12;
/// How many states may be put aside.
const STATES_MAX: usize = 1_000;

/// A page that is being gone through.
pub(super) struct Page<'a> {
    document: &'a Document<'a>,
    lines: Lines,
    bytes_max: usize,
    operators: usize,
    forms: usize,
    /// What the parts say that are marked at the moment, where that is told beside what they show; empty once it was
    /// said.
    marked: Vec<Option<String>>,
}

/// What is set when something is shown.
#[derive(Clone, Debug)]
struct State {
    /// From where things are said to stand to where they stand on the page.
    page: Matrix,
    font: Rc<Font>,
    size: f64,
    letter_gap: f64,
    word_gap: f64,
    /// How wide letters are set, in parts of how wide they are.
    stretch: f64,
    /// How far lines are apart.
    leading: f64,
    rise: f64,
}

/// Where in a text the next letter stands, and where its line began.
#[derive(Clone, Copy, Debug)]
struct Place {
    next: Matrix,
    line: Matrix,
}

/// What is gone through with the same resources.
struct Content<'r> {
    resources: &'r Dictionary,
    fonts: BTreeMap<Vec<u8>, Rc<Font>>,
    depth: usize,
}

impl<'a> Page<'a> {
    pub(super) fn new(document: &'a Document<'a>, bytes_max: usize) -> Page<'a> {
        Page { document, lines: Lines::default(), bytes_max, operators: 0, forms: 0, marked: Vec::new() }
    }

    /// The text that a page shows.
    pub(super) fn show(mut self, page: &Dictionary, resources: &Dictionary) -> Result<String, PdfError> {
        let mut bytes = Vec::new();
        match self.document.of(page, "Contents") {
            Some(Object::List(parts)) => {
                for part in &parts {
                    bytes.extend(self.document.unpacked(&self.document.object(part))?);
                    bytes.push(b'\n');
                }
            }
            Some(content) => bytes = self.document.unpacked(&content)?,
            None => {}
        }
        let state = State {
            page: Matrix::SAME,
            font: Rc::new(Font::unknown()),
            size: 1.0,
            letter_gap: 0.0,
            word_gap: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        self.run(&bytes, resources, state, 0)?;
        Ok(self.lines.into_text())
    }

    fn is_full(&self) -> bool {
        self.lines.bytes() >= self.bytes_max
    }

    fn run(
        &mut self,
        bytes: &[u8],
        resources: &Dictionary,
        state: State,
        depth: usize,
    ) -> Result<(), PdfError> {
        let mut content = Content { resources, fonts: BTreeMap::new(), depth };
        let (mut state, mut aside) = (state, Vec::new());
        let mut place = Place { next: Matrix::SAME, line: Matrix::SAME };
        let mut operands = Vec::new();
        let mut reader = Reader::new(bytes, 0, References::Absent);
        while let Some(thing) = reader.next() {
            let Object::Word(operator) = thing else {
                if operands.len() < OPERANDS_MAX {
                    operands.push(thing);
                }
                continue;
            };
            self.operators += 1;
            if self.operators.is_multiple_of(OPERATORS_STEP) {
                self.document.check(self.operators < OPERATORS_MAX)?;
            }
            match operator.as_slice() {
                b"q" if aside.len() < STATES_MAX => aside.push(state.clone()),
                b"Q" => state = aside.pop().unwrap_or(state),
                b"Do" => self.form(&content, &operands, &state)?,
                b"Tf" => self.set_font(&mut content, &operands, &mut state)?,
                b"ID" => skip_picture(&mut reader),
                b"BMC" | b"BDC" if self.marked.len() < STATES_MAX => self.marked.push(actual_text(&operands)),
                b"EMC" => drop(self.marked.pop()),
                other => {
                    state.set(other, &operands);
                    place.set(other, &operands, &state);
                    self.texts(other, &operands, &state, &mut place);
                }
            }
            operands.clear();
            if self.is_full() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Shows the texts of an operator that shows some.
    fn texts(&mut self, operator: &[u8], operands: &[Object], state: &State, place: &mut Place) {
        if !matches!(operator, b"Tj" | b"'" | b"\"" | b"TJ") {
            return;
        }
        match operands.last() {
            Some(Object::List(pieces)) => {
                for piece in pieces {
                    match piece {
                        Object::Text(text) => self.text(text, state, place),
                        Object::Number(back) => place.advance(-back / 1_000.0 * state.size * state.stretch),
                        _other => {}
                    }
                }
            }
            Some(Object::Text(text)) => self.text(text, state, place),
            _nothing => {}
        }
    }

    fn text(&mut self, text: &[u8], state: &State, place: &mut Place) {
        let mut shown = String::new();
        let begins = state.letter(*place);
        for letter in state.font.letters(text) {
            let gap = state.letter_gap + if letter.is_space { state.word_gap } else { 0.0 };
            place.advance((letter.width * state.size + gap) * state.stretch);
            shown.push_str(&letter.text);
            if shown.len() > self.bytes_max {
                break;
            }
        }
        let ends = state.letter(*place);
        if let Some(said) = self.marked.iter_mut().find_map(Option::as_mut) {
            shown = std::mem::take(said);
            if shown.is_empty() {
                return self.lines.pass(ends);
            }
        }
        self.lines.add(&Shown { text: shown, begins, ends });
    }

    fn set_font(
        &mut self,
        content: &mut Content<'_>,
        operands: &[Object],
        state: &mut State,
    ) -> Result<(), PdfError> {
        let [.., Object::Name(name), Object::Number(size)] = operands else { return Ok(()) };
        state.size = *size;
        if let Some(font) = content.fonts.get(name) {
            state.font = Rc::clone(font);
            return Ok(());
        }
        let fonts = self.document.of(content.resources, "Font");
        let font = fonts.as_ref().and_then(Object::dictionary).and_then(|fonts| fonts.get(name));
        let font = font.map(|font| self.document.object(font));
        let font = match font.as_ref().and_then(Object::dictionary) {
            Some(font) => Font::read(self.document, font)?,
            None => Font::unknown(),
        };
        state.font = Rc::new(font);
        content.fonts.insert(name.clone(), Rc::clone(&state.font));
        Ok(())
    }

    /// Shows something that stands by itself, with resources and a map of its own.
    fn form(&mut self, content: &Content<'_>, operands: &[Object], state: &State) -> Result<(), PdfError> {
        let Some(Object::Name(name)) = operands.last() else { return Ok(()) };
        let forms = self.document.of(content.resources, "XObject");
        let form = forms.as_ref().and_then(Object::dictionary).and_then(|forms| forms.get(name));
        let Some(form) = form.map(|form| self.document.object(form)) else { return Ok(()) };
        let Some(dictionary) = form.dictionary() else { return Ok(()) };
        let is_form =
            self.document.of(dictionary, "Subtype").is_some_and(|kind| kind.name() == Some(b"Form"));
        if !is_form || content.depth >= DEPTH_MAX {
            return Ok(());
        }
        self.forms += 1;
        self.document.check(self.forms <= FORMS_MAX)?;
        let resources = self.document.of(dictionary, "Resources");
        let resources = resources.as_ref().and_then(Object::dictionary).unwrap_or(content.resources);
        let own = match self.document.of(dictionary, "Matrix") {
            Some(Object::List(numbers)) => matrix(&numbers).unwrap_or(Matrix::SAME),
            _none => Matrix::SAME,
        };
        let state = State { page: own.then(state.page), ..state.clone() };
        let bytes = self.document.unpacked(&form)?;
        self.run(&bytes, resources, state, content.depth + 1)
    }
}

impl State {
    /// Takes in what an operator sets.
    fn set(&mut self, operator: &[u8], operands: &[Object]) {
        let number = operands.last().and_then(Object::number);
        match (operator, number) {
            (b"cm", _) => self.page = matrix(operands).unwrap_or(Matrix::SAME).then(self.page),
            (b"Tc", Some(gap)) => self.letter_gap = gap,
            (b"Tw", Some(gap)) => self.word_gap = gap,
            (b"Tz", Some(percent)) => self.stretch = percent / 100.0,
            (b"TL", Some(leading)) => self.leading = leading,
            (b"TD", Some(down)) => self.leading = -down,
            (b"Ts", Some(rise)) => self.rise = rise,
            (b"\"", _) => {
                if let [Object::Number(word), Object::Number(letter), _text] = operands {
                    (self.word_gap, self.letter_gap) = (*word, *letter);
                }
            }
            _other => {}
        }
    }

    /// The map of a letter that is 1 high and stands at a place.
    fn letter(&self, place: Place) -> Matrix {
        Matrix([self.size * self.stretch, 0.0, 0.0, self.size, 0.0, self.rise])
            .then(place.next)
            .then(self.page)
    }
}

impl Place {
    /// Goes where an operator goes.
    fn set(&mut self, operator: &[u8], operands: &[Object], state: &State) {
        match operator {
            b"BT" => *self = Place { next: Matrix::SAME, line: Matrix::SAME },
            b"Tm" => self.begin(matrix(operands).unwrap_or(Matrix::SAME)),
            b"Td" | b"TD" => {
                if let [.., Object::Number(x), Object::Number(y)] = operands {
                    self.begin(Matrix::shift(*x, *y).then(self.line));
                }
            }
            b"T*" | b"'" | b"\"" => self.begin(Matrix::shift(0.0, -state.leading).then(self.line)),
            _other => {}
        }
    }

    fn begin(&mut self, line: Matrix) {
        *self = Place { next: line, line };
    }

    fn advance(&mut self, by: f64) {
        self.next = Matrix::shift(by, 0.0).then(self.next);
    }
}

fn matrix(numbers: &[Object]) -> Option<Matrix> {
    let numbers: Option<Vec<f64>> = numbers.iter().map(Object::number).collect();
    Some(Matrix(numbers?.try_into().ok()?))
}

/// What a part says that is marked with it, whatever the letters are that it is shown by.
fn actual_text(operands: &[Object]) -> Option<String> {
    let Object::Text(text) = operands.last()?.dictionary()?.get(b"ActualText".as_slice())? else {
        return None;
    };
    Some(match text.as_slice() {
        [0xFE, 0xFF, units @ ..] => {
            let units = units.as_chunks::<2>().0.iter().map(|unit| u16::from_be_bytes(*unit));
            char::decode_utf16(units).map(|c| c.unwrap_or(UNKNOWN)).collect()
        }
        [0xEF, 0xBB, 0xBF, text @ ..] => String::from_utf8_lossy(text).into_owned(),
        bytes => bytes.iter().filter_map(|byte| Known::Windows.character(*byte)).collect(),
    })
}

/// Passes over a picture that stands among the operators, up to `EI`.
fn skip_picture(reader: &mut Reader<'_>) {
    let rest = reader.rest();
    let is_end = |window: &[u8]| {
        window[0].is_ascii_whitespace() && &window[1..3] == b"EI" && window[3].is_ascii_whitespace()
    };
    let end = rest.windows(4).position(is_end);
    reader.skip(end.map_or(rest.len(), |end| end + 3));
}
