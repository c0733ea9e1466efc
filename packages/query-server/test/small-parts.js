'use strict'

/** Sends two rows at a time. */
function makeEncoder () {
  let rows = []
  let documents = 0
  const part = (count) => {
    const part = { documents, rows: rows.slice(0, count) }
    rows = rows.slice(count)
    documents = 0
    return part
  }

  return {
    add ([more]) { rows.push(...more) },
    end (send) {
      while (rows.length > 2) send(part(2))
      documents++
      send(part(2))
    },
    rest: () => documents === 0 && rows.length === 0 ? undefined : part(2)
  }
}

module.exports = { makeEncoder }
