//! `Debug` in one line, for what may hold a million elements.

/// Implements [`Debug`](core::fmt::Debug) as one line: the type's name and a few numbers, none of
/// its elements.
///
/// A queue names the trait that it implements, and shows how many wait, how many may, and the first
/// rank. Anything else lists what it shows:
///
/// ```
/// struct Ring<T>(Vec<T>);
/// forebay_pifo::debug_in_one_line!([T] Ring<T>, |ring| { len: ring.0.len() });
/// assert_eq!(format!("{:?}", Ring(vec![7; 1_000_000])), "Ring { len: 1000000, .. }");
/// ```
#[macro_export]
macro_rules! debug_in_one_line {
    ([$($generics:tt)*] $name:ident $(<$($argument:ident),+>)? as RankedQueue) => {
        $crate::debug_in_one_line!([$($generics)*] $name $(<$($argument),+>)?, |queue| {
            len: $crate::RankedQueue::len(queue),
            capacity: $crate::RankedQueue::capacity(queue),
            first: $crate::RankedQueue::peek_min(queue).map(|(rank, _)| rank),
        });
    };
    ([$($generics:tt)*] $name:ident $(<$($argument:ident),+>)? as PartitionedQueue) => {
        $crate::debug_in_one_line!([$($generics)*] $name $(<$($argument),+>)?, |queue| {
            partitions: $crate::PartitionedQueue::partitions(queue),
            len: $crate::PartitionedQueue::len(queue),
            capacity: $crate::PartitionedQueue::capacity(queue),
        });
    };
    ([$($generics:tt)*] $name:ident $(<$($argument:ident),+>)? as TieredQueue) => {
        $crate::debug_in_one_line!([$($generics)*] $name $(<$($argument),+>)?, |queue| {
            sram: $crate::TieredQueue::len_in(queue, $crate::Tier::Sram),
            hbm: $crate::TieredQueue::len_in(queue, $crate::Tier::Hbm),
            first: $crate::TieredQueue::peek_min(queue).map(|entry| entry.rank),
        });
    };
    ([$($generics:tt)*] $name:ident $(<$($argument:ident),+>)? as IndexedQueue) => {
        $crate::debug_in_one_line!([$($generics)*] $name $(<$($argument),+>)?, |queue| {
            len: $crate::IndexedQueue::len(queue),
            first: $crate::IndexedQueue::peek_min(queue).map(|(rank, _)| rank),
        });
    };
    ([$($generics:tt)*] $name:ident $(<$($argument:ident),+>)? as ApproximateQueue) => {
        $crate::debug_in_one_line!([$($generics)*] $name $(<$($argument),+>)?, |queue| {
            len: $crate::approximate::ApproximateQueue::len(queue),
            capacity: $crate::approximate::ApproximateQueue::capacity(queue),
        });
    };
    ([$($generics:tt)*] $name:ident $(<$($argument:ident),+>)?, |$this:ident| {
        $($field:ident: $value:expr),+ $(,)?
    }) => {
        impl<$($generics)*> ::core::fmt::Debug for $name $(<$($argument),+>)? {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let $this = self;
                f.debug_struct(stringify!($name))
                    $(.field(stringify!($field), &$value))+
                    .finish_non_exhaustive()
            }
        }
    };
}
