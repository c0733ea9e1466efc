'use strict'

// A fast wrong answer is not a figure: these throw where it is not as it must be.

/** @param {{ length: number }} rows @param {number} count */
function expectRows (rows, count) {
  if (rows.length !== count) throw new Error(`${rows.length} rows and not ${count}`)
}

/** @param {{ total_rows: number }} answer of a view @param {number} count */
function expectTotal ({ total_rows: total }, count) {
  if (total !== count) throw new Error(`${total} rows in the index and not ${count}`)
}

/** @param {{ ok?: boolean }[]} results of `bulkDocs` */
function expectWritten (results) {
  const refused = results.find((result) => !result.ok)
  if (refused) throw new Error(`Not written: ${JSON.stringify(refused)}`)
}

/** @param {{ docs_written: number, history?: { docs_written: number }[] }} answer of a replication @param {number} count */
function expectReplicated (answer, count) {
  const { docs_written: written } = answer.history?.[0] ?? answer
  if (written !== count) throw new Error(`${written} documents and not ${count}`)
}

module.exports = { expectReplicated, expectRows, expectTotal, expectWritten }
