'use strict'

/** Words as a query in Lucene's syntax. @type {Record<string, (words: string[]) => string>} */
const NOTATION = {
  term: ([word]) => word,
  and: words => words.join(' AND '),
  phrase: words => `"${words.join(' ')}"`
}

module.exports = { NOTATION }
