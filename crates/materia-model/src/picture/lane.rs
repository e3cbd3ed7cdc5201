//! Lanes: the vertical lines beside the boxes, for every route that does not lead to the next box.
//!
//! Owns the lane of a target and the cells on the right side of the picture. All routes to one
//! socket share a lane. Knows nothing about box contents.

/// A line beside the boxes, to one target.
#[derive(Debug)]
pub(super) struct Lane {
    /// The row where it enters the target.
    pub(super) into: usize,
    /// The rows where routes join it.
    pub(super) joined: Vec<usize>,
    column: usize,
    top: usize,
    bottom: usize,
}

impl Lane {
    pub(super) fn new(into: usize) -> Self {
        Self {
            into,
            joined: Vec::new(),
            column: 0,
            top: into,
            bottom: into,
        }
    }

    /// Computes its ends, after all routes have joined.
    fn close(&mut self) {
        self.joined.sort_unstable();
        self.top = self
            .joined
            .first()
            .map_or(self.into, |first| self.into.min(*first));
        self.bottom = self
            .joined
            .last()
            .map_or(self.into, |last| self.into.max(*last));
    }

    fn touches(&self, row: usize) -> bool {
        row == self.into || self.joined.binary_search(&row).is_ok()
    }
}

/// Assigns a column to each lane: short ones inside, no two in one column that share rows.
pub(super) fn arrange(lanes: &mut [Lane]) {
    lanes.iter_mut().for_each(Lane::close);
    let mut by_length: Vec<usize> = (0..lanes.len()).collect();
    by_length.sort_by_key(|at| (lanes[*at].bottom - lanes[*at].top, lanes[*at].top));
    let mut taken: Vec<Vec<(usize, usize)>> = Vec::new();
    for at in by_length {
        let (top, bottom) = (lanes[at].top, lanes[at].bottom);
        let free = |column: &Vec<(usize, usize)>| {
            column.iter().all(|(from, to)| bottom < *from || top > *to)
        };
        let column = taken.iter().position(free).unwrap_or_else(|| {
            taken.push(Vec::new());
            taken.len() - 1
        });
        taken[column].push((top, bottom));
        lanes[at].column = column;
    }
}

/// The right side of a row: from the label's end over all lanes.
///
/// `line` is the character of a horizontal route, if one begins or ends in this row.
pub(super) fn cells(lanes: &[Lane], row: usize, line: Option<char>) -> String {
    let width = lanes.iter().map(|lane| lane.column + 1).max().unwrap_or(0);
    let reach = lanes
        .iter()
        .filter(|lane| lane.touches(row))
        .map(|lane| lane.column)
        .max();
    let mut cells = String::new();
    for column in 0..width {
        let under = lanes
            .iter()
            .find(|lane| lane.column == column && lane.top <= row && row <= lane.bottom);
        let horizontal = line.filter(|_| reach.is_some_and(|reach| column <= reach));
        let before = horizontal.filter(|_| reach.is_some());
        let cell = match under {
            Some(lane) if lane.touches(row) => match (row > lane.top, row < lane.bottom) {
                (true, true) => '┤',
                (true, false) => '┘',
                (false, true) => '┐',
                (false, false) => '╴',
            },
            Some(_) => '│',
            None => horizontal.unwrap_or(' '),
        };
        cells.push(before.unwrap_or(' '));
        cells.push(cell);
    }
    cells.trim_end().to_owned()
}
