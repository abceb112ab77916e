//! The parameters of credit-based flow control, and the accounts that come of them.

use forebay_buffer::onchip::IngressConfig;
use forebay_parameters::{Configure, ParameterError};
use forebay_units::{Bytes, Duration, Rate};

use super::PfcConfig;
use crate::Credits;

/// What senders of lossless classes are granted where these are kept by credits, as the virtual
/// lanes of InfiniBand are (IBA volume 1, §7.9). docs/lossless.md says what is chosen here.
#[derive(Clone, Debug, PartialEq, Configure)]
#[parameter(group = "credits.")]
pub struct CreditConfig {
    /// Buffer of each input and lossless class; 0 B: what keeps its link busy.
    #[parameter(default = None)]
    #[parameter(
        assumed = "0 B: by rate, cable, packets and response, as docs/lossless.md derives"
    )]
    pub buffer: Option<Bytes>,
    /// Bytes that must have left a buffer before their room is granted again; 0 B: each packet's at
    /// once.
    #[parameter(default = None)]
    #[parameter(assumed = "0 B: the least buffer; InfiniBand leaves it to the receiver")]
    pub return_after: Option<Bytes>,
    /// How long the room of fewer bytes may wait until it is granted again.
    #[parameter(default = Duration::from_ns(262_144), when = self.return_after.is_some())]
    #[parameter(
        assumed = "65,536 symbol times (IBA volume 1, §7.9), of 4 ns at 2.5 Gb/s a lane, as others \
                   cite it; not compared with its text"
    )]
    pub return_within: Duration,
}

impl CreditConfig {
    /// What whoever drives the links keeps account by, in cells of so many bytes.
    pub(crate) fn credits(&self, pfc: &PfcConfig, cell: u32, largest_packet: u32) -> Credits {
        let size = u64::from(cell.max(1));
        let cells = |cells: u64| u32::try_from(cells).unwrap_or(u32::MAX);
        let lanes = (0..).zip(pfc.by_class()).map(|(lane, on)| u8::from(on) << lane);
        Credits {
            lanes: lanes.sum(),
            cell,
            largest_packet,
            buffer: self.buffer.map(|bytes| cells(bytes.get() / size)),
            return_after: self.return_after.map_or(0, |bytes| cells(bytes.get().div_ceil(size))),
            return_within: self.return_within,
        }
    }

    /// That a buffer holds a packet, and that no room waits to be granted which its sender needs
    /// for a packet.
    ///
    /// # Errors
    /// Names the parameter that does not fit.
    pub(super) fn check(&self, cell: u32, largest_packet: u32) -> Result<(), ParameterError> {
        let credits = self.credits(&PfcConfig::default(), cell, largest_packet);
        let (Some(given), Some(buffer)) = (self.buffer, credits.buffer) else { return Ok(()) };
        let each = credits.cells(largest_packet);
        let size = Bytes::new(cell.into());
        if buffer < each {
            return Err(CreditConfig::BUFFER.refuse(format_args!(
                "{given} hold no packet of {} in cells of {size}: give at least {}",
                Bytes::new(largest_packet.into()),
                size * u64::from(each)
            )));
        }
        let most = buffer - each + 1;
        if credits.return_after > most {
            return Err(CreditConfig::RETURN_AFTER.refuse(format_args!(
                "of a buffer of {given} so much need not come free before its sender waits for a \
                 packet's: give at most {}",
                size * u64::from(most)
            )));
        }
        Ok(())
    }

    /// What the inputs of a switch with ports of these rates hold of each of its memories.
    pub(super) fn ingress(
        &self,
        pfc: &PfcConfig,
        ports: &[Rate],
        cell: u32,
        largest_packet: u32,
    ) -> IngressConfig {
        let credits = self.credits(pfc, cell, largest_packet);
        let room = |(port, rate): (usize, &Rate)| {
            let delay = pfc.cables.get(port).copied().unwrap_or_default();
            credits.room(*rate, delay, pfc.response)
        };
        IngressConfig {
            classes: pfc.by_class(),
            headroom: ports.iter().enumerate().map(room).collect(),
            headroom_pool: None,
            pause_at: None,
            resume: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::on_chip::FlowControlForm;
    use crate::{OnChip, OnChipConfig, SwitchShape};
    use alloc::string::{String, ToString};
    use forebay_parameters::set;

    const ON: [(&str, &str); 3] =
        [("classes", "4"), ("pfc.lossless", "3"), ("pfc.form", "credits")];

    fn refused(given: &[(&str, &str)]) -> String {
        let mut config = OnChipConfig::named("dt").unwrap();
        set(&mut config, &[&ON, given].concat()).unwrap();
        let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10); 4] };
        OnChip::new(&shape, &config).err().unwrap().to_string()
    }

    #[test]
    fn what_has_no_effect_or_does_not_fit_is_refused() {
        let mut config = OnChipConfig::named("dt").unwrap();
        let mut not =
            |given: &[(&str, &str)]| set(&mut config, given).unwrap_err().name().to_string();
        assert_eq!(not(&[("pfc.lossless", "0"), ("credits.buffer", "9 KB")]), "credits.buffer");
        assert_eq!(not(&[&ON[..], &[("pfc.headroom", "9 KB")]].concat()), "pfc.headroom");
        let late = [("credits.return_within", "1 us")];
        assert_eq!(not(&[&ON[..], &late].concat()), "credits.return_within");
        let beyond = refused(&[("pfc.lossless", "4")]);
        assert!(beyond.contains("no class 4 among the 4 of a port"), "{beyond}");
        let small = refused(&[("credits.buffer", "1500 B")]);
        assert!(small.contains("no packet of 1.5 KB in cells of 200 B: give at least"), "{small}");
        let late = refused(&[("credits.buffer", "3200 B"), ("credits.return_after", "2 KB")]);
        assert!(late.starts_with("credits.return_after: "), "{late}");
        assert!(late.contains("give at most 1.8 KB"), "{late}");
        let large = refused(&[("credits.buffer", "1 MB")]);
        assert!(large.starts_with("pool: buffers of inputs and reservations of 4 MB"), "{large}");
    }

    #[test]
    fn every_input_has_a_buffer_of_its_own() {
        let pfc = PfcConfig {
            lossless: alloc::vec![0, 3],
            form: FlowControlForm::Credits,
            response: Duration::from_us(1),
            cables: alloc::vec![Duration::from_us(2)],
            ..PfcConfig::default()
        };
        let ports = [Rate::from_gbps(10); 2];
        let ingress = CreditConfig::default().ingress(&pfc, &ports, 100, 1000);
        // 1.25 bytes a nanosecond: 5 KB of cable, 1250 B of response, two packets and a frame.
        assert_eq!(ingress.headroom, [9 * 10, 4 * 10]);
        assert_eq!(
            (ingress.classes[0], ingress.classes[1], ingress.classes[3]),
            (true, false, true)
        );
        assert_eq!(ingress.headroom_cells(), 2 * 130);
    }
}
