import sys

import summary
from pyspark.sql import SparkSession

NUMBER = {"int": "CAST({} AS BIGINT)", "double": "CAST(floor({} * 1e6) AS BIGINT)", "text": "length({})", "bool": "CAST({} AS INT)", "time": f"unix_micros({{}}) % {summary.PRIME}"}
# Little data, many small queries: compile little, and read many files in one go.
SETTINGS = {
    "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "1", "spark.sql.adaptive.enabled": "false", "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN", "spark.sql.files.openCostInBytes": "0",
}
builder = SparkSession.builder.master("local[1]")
for name, value in SETTINGS.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
seen = set()


def source(dir, table):
    if table not in seen:
        spark.read.parquet(f"{dir}/{table}").createOrReplaceTempView(table)
        seen.add(table)
    return table


def some(dir, table, lists, leaves):
    return summary.pairs(spark.sql(summary.sql(source(dir, table), lists, leaves, "explode", NUMBER, "`")).first())


def days(dir, table):
    return spark.sql(f"SELECT date, count(*) FROM {source(dir, table)} GROUP BY date").collect()


summary.main(sys.argv[1], some, days)
spark.stop()
