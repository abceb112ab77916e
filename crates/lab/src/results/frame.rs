//! A table of named columns, written as CSV (RFC 4180) and as Parquet. Equal frames give equal
//! bytes.
//!
//! Complexity: linear in the cells. Parquet is written as one row group, uncompressed,
//! dictionary-encoded.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Words.
    Text(Vec<Arc<str>>),
    /// Real numbers; NaN where there is none.
    Number(Vec<f64>),
    /// Whole numbers.
    Whole(Vec<i64>),
}

/// Named columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataFrame {
    /// Name and values.
    pub columns: Vec<(String, Column)>,
    /// Facts about the whole table, kept in Parquet files only.
    pub facts: Vec<(String, String)>,
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Column::Text(values) => values.len(),
            Column::Number(values) => values.len(),
            Column::Whole(values) => values.len(),
        }
    }

    fn push_csv(&self, row: usize, line: &mut String) {
        use std::fmt::Write;
        // Writing to a String cannot fail.
        let _ = match self {
            Column::Text(values) => {
                line.push_str(&csv_field(&values[row]));
                Ok(())
            }
            Column::Number(values) => write!(line, "{}", values[row]),
            Column::Whole(values) => write!(line, "{}", values[row]),
        };
    }
}

/// A field of a CSV file, quoted if it must be.
fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

impl DataFrame {
    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|(other, _)| other == name).map(|(_, column)| column)
    }

    /// The texts of a column, if it is one of texts.
    #[must_use]
    pub fn texts(&self, name: &str) -> Option<&[Arc<str>]> {
        match self.column(name)? {
            Column::Text(values) => Some(values),
            Column::Number(_) | Column::Whole(_) => None,
        }
    }

    /// The numbers of a column, if it is one of real numbers.
    #[must_use]
    pub fn numbers(&self, name: &str) -> Option<&[f64]> {
        match self.column(name)? {
            Column::Number(values) => Some(values),
            Column::Text(_) | Column::Whole(_) => None,
        }
    }

    /// The whole numbers of a column, if it is one of them.
    #[must_use]
    pub fn wholes(&self, name: &str) -> Option<&[i64]> {
        match self.column(name)? {
            Column::Whole(values) => Some(values),
            Column::Text(_) | Column::Number(_) => None,
        }
    }

    /// The table as CSV with a header.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|(name, _)| csv_field(name)).collect();
        let mut text = names.join(",") + "\n";
        for row in 0..self.rows() {
            for (index, (_, column)) in self.columns.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                column.push_csv(row, &mut text);
            }
            text.push('\n');
        }
        text
    }

    /// The table as a Parquet file.
    ///
    /// # Errors
    /// The encoder refuses it (columns of unequal length).
    pub fn to_parquet(&self) -> Result<Vec<u8>, ParquetError> {
        let mut fields = Vec::new();
        for (name, column) in &self.columns {
            let (physical, logical) = match column {
                Column::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
                Column::Number(_) => (Physical::DOUBLE, None),
                Column::Whole(_) => (Physical::INT64, None),
            };
            let field = Type::primitive_type_builder(name, physical)
                .with_repetition(Repetition::REQUIRED)
                .with_logical_type(logical)
                .build()?;
            fields.push(Arc::new(field));
        }
        let schema = Type::group_type_builder("forebay").with_fields(fields).build()?;
        let facts = self.facts.iter().map(|(k, v)| KeyValue::new(k.clone(), v.clone())).collect();
        let properties = WriterProperties::builder()
            .set_created_by("forebay".to_owned())
            .set_key_value_metadata(Some(facts))
            .build();
        let mut bytes = Vec::new();
        let mut file =
            SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties))?;
        let mut group = file.next_row_group()?;
        for (_, column) in &self.columns {
            let Some(mut writer) = group.next_column()? else { break };
            match column {
                Column::Text(values) => {
                    let values: Vec<ByteArray> =
                        values.iter().map(|v| ByteArray::from(&**v)).collect();
                    writer.typed::<ByteArrayType>().write_batch(&values, None, None)?;
                }
                Column::Number(values) => {
                    writer.typed::<DoubleType>().write_batch(values, None, None)?;
                }
                Column::Whole(values) => {
                    writer.typed::<Int64Type>().write_batch(values, None, None)?;
                }
            }
            writer.close()?;
        }
        group.close()?;
        file.close()?;
        Ok(bytes)
    }

    /// Reads a Parquet file of required text, double and 64-bit columns.
    ///
    /// # Errors
    /// The bytes are no such file.
    pub fn from_parquet(bytes: Vec<u8>) -> Result<Self, ParquetError> {
        // The decoder checks most but not all of a damaged file; a panic in it is a damaged file
        // too.
        let read = std::panic::AssertUnwindSafe(|| read_parquet(bytes));
        std::panic::catch_unwind(read)
            .unwrap_or_else(|_| Err(ParquetError::General("the file is damaged".to_owned())))
    }
}

fn read_parquet(bytes: Vec<u8>) -> Result<DataFrame, ParquetError> {
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes))?;
    let metadata = reader.metadata().file_metadata();
    let mut frame = DataFrame::default();
    for fact in metadata.key_value_metadata().into_iter().flatten() {
        frame.facts.push((fact.key.clone(), fact.value.clone().unwrap_or_default()));
    }
    let schema = metadata.schema_descr_ptr();
    for (index, field) in schema.columns().iter().enumerate() {
        let mut column = match field.physical_type() {
            Physical::BYTE_ARRAY => Column::Text(Vec::new()),
            Physical::DOUBLE => Column::Number(Vec::new()),
            Physical::INT64 => Column::Whole(Vec::new()),
            other => return Err(ParquetError::General(format!("a column is {other}"))),
        };
        for group in 0..reader.num_row_groups() {
            let group = reader.get_row_group(group)?;
            match &mut column {
                Column::Text(values) => {
                    for text in read_column::<ByteArrayType>(&*group, index)? {
                        values.push(Arc::from(text.as_utf8()?));
                    }
                }
                Column::Number(values) => values.extend(read_column::<DoubleType>(&*group, index)?),
                Column::Whole(values) => values.extend(read_column::<Int64Type>(&*group, index)?),
            }
        }
        frame.columns.push((field.name().to_owned(), column));
    }
    let rows = frame.rows();
    if frame.columns.iter().any(|(_, column)| column.len() != rows) {
        return Err(ParquetError::General("columns differ in length".to_owned()));
    }
    Ok(frame)
}

fn read_column<T: DataType>(
    group: &dyn RowGroupReader,
    index: usize,
) -> Result<Vec<T::T>, ParquetError> {
    let mut reader = get_typed_column_reader::<T>(group.get_column_reader(index)?);
    let mut values = Vec::new();
    loop {
        let (records, _, _) = reader.read_records(65_536, None, None, &mut values)?;
        if records == 0 {
            return Ok(values);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn csv_quotes_what_it_must() {
        let text = |t: &str| Column::Text(vec![Arc::from(t)]);
        let frame = DataFrame {
            columns: vec![
                ("a,b".into(), text("say \"hi\"")),
                ("c".into(), text("two\nlines")),
                ("d".into(), Column::Number(vec![0.1])),
                ("e".into(), Column::Whole(vec![-3])),
            ],
            facts: Vec::new(),
        };
        assert_eq!(frame.to_csv(), "\"a,b\",c,d,e\n\"say \"\"hi\"\"\",\"two\nlines\",0.1,-3\n");
    }

    proptest! {
        #[test]
        fn parquet_reads_back(rows in proptest::collection::vec((".{0,6}", any::<f64>(), any::<i64>()), 0..40)) {
            let frame = DataFrame {
                columns: vec![
                    ("t".into(), Column::Text(rows.iter().map(|r| Arc::from(r.0.as_str())).collect())),
                    ("n".into(), Column::Number(rows.iter().map(|r| r.1).collect())),
                    ("w".into(), Column::Whole(rows.iter().map(|r| r.2).collect())),
                ],
                facts: vec![("k".into(), "v".into())],
            };
            let bytes = frame.to_parquet().unwrap();
            prop_assert_eq!(&bytes, &frame.to_parquet().unwrap());
            let back = DataFrame::from_parquet(bytes).unwrap();
            prop_assert_eq!(back.to_csv(), frame.to_csv());
            prop_assert_eq!(back.facts, frame.facts);
        }

        #[test]
        fn arbitrary_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(DataFrame::from_parquet(bytes).is_err());
        }
    }
}
