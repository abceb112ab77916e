//! What only builds with the feature `fabrics` have.

/// What such a build may hold; without the feature nothing is held, and the compiler leaves out
/// what would be done with it.
#[inline]
pub(crate) fn held<T: ?Sized>(field: &Option<alloc::boxed::Box<T>>) -> Option<&T> {
    if cfg!(feature = "fabrics") { field.as_deref() } else { None }
}

/// The same to be changed.
#[inline]
pub(crate) fn held_mut<T: ?Sized>(field: &mut Option<alloc::boxed::Box<T>>) -> Option<&mut T> {
    if cfg!(feature = "fabrics") { field.as_deref_mut() } else { None }
}
