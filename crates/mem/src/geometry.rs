//! How the stack is divided, and what of it can be set.

use forebay_parameters::{Configure, ParameterError, Source};
use forebay_units::Bytes;

/// How the stack is divided. One pseudo channel has `bank_groups · banks_per_group` banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct Geometry {
    /// Independent pseudo channels of the stack.
    #[parameter(paper = "themis §2.2, App. A", range = 1..=1024)]
    pub pseudo_channels: u16,
    /// Bank groups in a pseudo channel.
    #[parameter(source = ORGANISATION, range = 1..=64)]
    pub bank_groups: u8,
    /// Banks in a bank group.
    #[parameter(source = ORGANISATION, range = 1..=64)]
    pub banks_per_group: u8,
    /// Rows per bank; 65,536 make 16 GiB.
    #[parameter(range = 1..=1 << 31)]
    #[parameter(
        assumed = "the part of App. A; the capacity used is not stated",
        sensitivity = "themis/sensitivity-hbm-rows"
    )]
    pub rows: u32,
    /// Bytes in a row of one pseudo channel.
    #[parameter(source = APPENDIX)]
    pub row_bytes: Bytes,
    /// Bytes moved by one column command, the smallest access.
    #[parameter(source = APPENDIX)]
    pub access_bytes: Bytes,
}

const APPENDIX: Source = Source::paper("themis App. A");
const ORGANISATION: Source =
    Source::assumed("the organisation of HBM2, which makes the 16 GB of themis App. A");

impl Geometry {
    /// Banks in one pseudo channel.
    #[must_use]
    pub const fn banks(&self) -> usize {
        self.bank_groups as usize * self.banks_per_group as usize
    }

    /// Column accesses in one row.
    #[must_use]
    pub const fn columns(&self) -> u64 {
        self.row_bytes.get()
            / if self.access_bytes.get() == 0 { 1 } else { self.access_bytes.get() }
    }

    /// Bytes moved when every pseudo channel makes one access: the grain of a striped device
    /// (512 B).
    #[must_use]
    pub fn stripe_bytes(&self) -> Bytes {
        self.access_bytes * u64::from(self.pseudo_channels)
    }

    /// Bytes of the whole stack.
    #[must_use]
    pub fn capacity(&self) -> Bytes {
        self.row_bytes
            * u64::from(self.rows)
            * self.banks() as u64
            * u64::from(self.pseudo_channels)
    }

    /// What the kinds of the parameters leave to check.
    pub(crate) fn validate(&self) -> Result<(), ParameterError> {
        const MAX: Bytes = Bytes::new(1 << 20);
        if self.banks() > 64 {
            let banks = self.banks();
            return Err(Geometry::BANK_GROUPS.refuse(format_args!(
                "a pseudo channel would have {banks} banks; give at most 64 in all groups"
            )));
        }
        if self.access_bytes == Bytes::ZERO || self.access_bytes > MAX {
            return Err(Geometry::ACCESS_BYTES.refuse(format_args!("give 1 B to {MAX}")));
        }
        let most = MAX.min(self.access_bytes * u64::from(u16::MAX));
        if !(self.access_bytes..=most).contains(&self.row_bytes) {
            let least = self.access_bytes;
            return Err(Geometry::ROW_BYTES.refuse(format_args!(
                "it is {}; give {least} (access_bytes) to {most}",
                self.row_bytes
            )));
        }
        Ok(())
    }
}
