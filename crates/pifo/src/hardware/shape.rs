//! The sizes that a hardware structure may have, and the error for those it may not.

use core::fmt;

/// The most elements that one hardware structure has room for: 2^24, a hundred times the largest
/// published (2^17 elements, clubheap §1).
pub const MAX_HARDWARE_ELEMENTS: usize = 1 << 24;

/// Why a hardware structure cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HardwareShapeError {
    /// No room for any element, or for too many.
    Capacity {
        /// The capacity asked for, in elements (of one partition, where memory is split).
        asked: usize,
        /// The largest possible here.
        most: usize,
    },
    /// No logical queue, or too many.
    Partitions {
        /// The number asked for.
        asked: usize,
        /// The largest possible here.
        most: usize,
    },
    /// Nodes too narrow or too wide.
    Ways {
        /// The elements per node asked for.
        asked: usize,
        /// The most elements per node.
        most: usize,
    },
    /// No flow, or too many.
    Flows {
        /// The number asked for.
        asked: usize,
        /// The largest possible here.
        most: usize,
    },
}

impl fmt::Display for HardwareShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            HardwareShapeError::Capacity { asked, most } => {
                write!(f, "a hardware queue for {asked} elements: ask for 1 to {most}")
            }
            HardwareShapeError::Partitions { asked, most } => {
                write!(f, "a hardware queue of {asked} partitions: ask for 1 to {most}")
            }
            HardwareShapeError::Ways { asked, most } => {
                write!(f, "a tree of {asked}-way nodes: ask for 2 to {most}")
            }
            HardwareShapeError::Flows { asked, most } => {
                write!(f, "a PIEO list of {asked} flows: ask for 1 to {most}")
            }
        }
    }
}

impl core::error::Error for HardwareShapeError {}

/// Refuses a capacity of nothing, or beyond [`MAX_HARDWARE_ELEMENTS`].
pub(super) fn check_capacity(asked: usize) -> Result<(), HardwareShapeError> {
    match asked {
        1..=MAX_HARDWARE_ELEMENTS => Ok(()),
        _ => Err(HardwareShapeError::Capacity { asked, most: MAX_HARDWARE_ELEMENTS }),
    }
}

/// Refuses no partition, or more than could have an element each.
pub(super) fn check_partitions(asked: usize) -> Result<(), HardwareShapeError> {
    match asked {
        1..=MAX_HARDWARE_ELEMENTS => Ok(()),
        _ => Err(HardwareShapeError::Partitions { asked, most: MAX_HARDWARE_ELEMENTS }),
    }
}

/// The levels of a tree for at least `asked` elements, and how many those levels hold. The first
/// level holds `first` elements, each next one `ways` times as many; `first` is at least 1, `ways`
/// at least 2.
pub(super) fn whole_levels(
    asked: usize,
    first: usize,
    ways: usize,
    most: usize,
) -> Result<(usize, usize), HardwareShapeError> {
    let (mut levels, mut total, mut width) = (0, 0, first);
    while width <= most - total {
        (levels, total, width) = (levels + 1, total + width, width.saturating_mul(ways));
        if (1..=total).contains(&asked) {
            return Ok((levels, total));
        }
    }
    Err(HardwareShapeError::Capacity { asked, most: total })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn capacities_are_rounded_up_to_whole_levels() {
        for (asked, levels) in [(1, (1, 1)), (2, (2, 3)), (3, (2, 3)), (4, (3, 7)), (127, (7, 127))]
        {
            assert_eq!(whole_levels(asked, 1, 2, MAX_HARDWARE_ELEMENTS), Ok(levels));
        }
        // The paper's 4-way tree of six levels (clubheap §6.3: N = 5,460).
        assert_eq!(whole_levels(4_096, 4, 4, MAX_HARDWARE_ELEMENTS), Ok((6, 5_460)));
    }

    #[test]
    fn impossible_capacities_name_the_largest() {
        let most = MAX_HARDWARE_ELEMENTS - 1;
        for asked in [0, MAX_HARDWARE_ELEMENTS, usize::MAX] {
            let refused = HardwareShapeError::Capacity { asked, most };
            assert_eq!(whole_levels(asked, 1, 2, MAX_HARDWARE_ELEMENTS), Err(refused));
        }
        assert_eq!(whole_levels(most, 1, 2, MAX_HARDWARE_ELEMENTS), Ok((24, most)));
        assert_eq!(
            HardwareShapeError::Capacity { asked: 0, most: 7 }.to_string(),
            "a hardware queue for 0 elements: ask for 1 to 7"
        );
    }
}
