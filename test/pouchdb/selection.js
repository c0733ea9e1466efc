'use strict'

/**
 * The suites of 4.0.3 name the kinds of database that they run on: `test.get.js-local`,
 * `test.replication.js-local-http`, `test.mapreduce.js-http-persisted`. A suite that names none
 * runs on local databases, except for the one that is about HTTP alone.
 *
 * @param {string} title
 * @returns {Set<'local' | 'http'>}
 */
function kindsOf (title) {
  const kinds = new Set(title.match(/(?<=[-: ])(local|http)(?=[-:]|$)/g))
  if (kinds.size === 0) kinds.add(title === 'test.http.js' ? 'http' : 'local')
  return kinds
}

/**
 * Keeps the suites that concern an adapter: with a local one those on local databases, alone and
 * with the server; with `http` those on the server alone.
 *
 * @param {import('mocha').Suite} root
 * @param {string} adapter
 */
function selectSuites (root, adapter) {
  const wanted = adapter === 'http' ? 'http' : 'local'
  root.suites = root.suites.filter(({ title }) => {
    const kinds = kindsOf(title)
    return title === 'DB Setup' || (wanted === 'local' ? kinds.has('local') : !kinds.has('local'))
  })
}

/** @returns {import('mocha').Test[]} all tests under a suite */
function testsOf (suite) {
  return [...suite.tests, ...suite.suites.flatMap(testsOf)]
}

/** The name of the suite at the top that a test stands in; empty where it stands in none. */
function suiteOf (test) {
  let suite = test.parent
  while (suite.parent !== undefined && !suite.parent.root) suite = suite.parent
  return suite.title
}

module.exports = { selectSuites, testsOf, suiteOf }
