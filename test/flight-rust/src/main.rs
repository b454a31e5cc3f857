//! Uses a server of Arrow Flight SQL by the crate `arrow-flight`, and prints what it gives, a line each.
//!
//! Arguments: the address, a user, a password, a table, then queries. A query that has a `?` is prepared, with the number 2 for it.

use std::error::Error;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_flight::sql::client::FlightSqlServiceClient;
use arrow_flight::sql::CommandGetTables;
use arrow_flight::FlightInfo;
use futures::TryStreamExt;
use tonic::transport::{Channel, Endpoint};

type Client = FlightSqlServiceClient<Channel>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let channel = Endpoint::from_shared(args[0].clone())?.connect().await?;
    let mut client = FlightSqlServiceClient::new(channel);
    if let Err(error) = client.handshake(&args[1], "wrong").await {
        println!("refused: {error}");
    }
    client.handshake(&args[1], &args[2]).await?;

    let tables = client
        .get_tables(CommandGetTables {
            table_name_filter_pattern: Some(args[3].clone()),
            include_schema: true,
            ..Default::default()
        })
        .await?;
    let found = read(&mut client, tables).await?;
    println!("tables {}", first_row(&found[..], 3));
    for sql in &args[4..] {
        match query(&mut client, sql).await {
            Ok(line) => println!("{line}"),
            Err(error) => println!("failed: {error}"),
        }
    }
    Ok(())
}

/// Runs a query, and says how many rows and bytes it was announced with, what came, and its first row.
async fn query(client: &mut Client, sql: &str) -> Result<String, Box<dyn Error>> {
    let info = if sql.contains('?') {
        let mut prepared = client.prepare(sql.to_string(), None).await?;
        let two: ArrayRef = Arc::new(Int64Array::from(vec![2]));
        prepared.set_parameters(RecordBatch::try_from_iter([("$1", two)])?)?;
        let info = prepared.execute().await?;
        prepared.close().await?;
        info
    } else {
        client.execute(sql.to_string(), None).await?
    };
    let announced = info.total_records;
    let schema = info.clone().try_decode_schema()?;
    let batches = read(client, info).await?;
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let is_same = batches
        .iter()
        .all(|batch| batch.schema().fields() == schema.fields());
    let all = batches.first().map_or(0, RecordBatch::num_columns);
    let first = first_row(&batches, all);
    Ok(format!(
        "rows {rows} of {announced}, same schema {is_same}, {first}"
    ))
}

async fn read(client: &mut Client, info: FlightInfo) -> Result<Vec<RecordBatch>, Box<dyn Error>> {
    let mut batches = Vec::new();
    for endpoint in info.endpoint {
        let ticket = endpoint.ticket.ok_or("an endpoint has no ticket")?;
        batches.extend(client.do_get(ticket).await?.try_collect::<Vec<_>>().await?);
    }
    Ok(batches)
}

fn first_row(batches: &[RecordBatch], columns: usize) -> String {
    let Some(batch) = batches.iter().find(|batch| batch.num_rows() > 0) else {
        return "no row".to_string();
    };
    let options = FormatOptions::default().with_null("null");
    let cells = (0..columns).map(|index| {
        let value = ArrayFormatter::try_new(batch.column(index), &options)
            .map_or_else(|error| error.to_string(), |cell| cell.value(0).to_string());
        format!("{}={value}", batch.schema().field(index).name())
    });
    format!("[{}]", cells.collect::<Vec<_>>().join(", "))
}
