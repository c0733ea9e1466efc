'use strict'

const { testsOf, suiteOf } = require('./selection')

/** @typedef {{ suite: string | RegExp, title?: string, adapters?: string[], reason: string }} Skipped */

/** Milliseconds that a listed case may take when it is tried. */
const TRIAL = 3000

/**
 * Marks the listed cases as pending.
 *
 * @param {import('mocha').Suite} root
 * @param {Skipped[]} skipped
 * @param {{ adapter: string, only: boolean }} options `only`: leaves out all others instead, to see
 *   whether one passes
 * @throws {Error} where a listed case does not exist in a suite that does
 */
function applySkips (root, skipped, { adapter, only }) {
  const tests = testsOf(root)
  const suites = new Set(tests.map(suiteOf))
  const listed = new Set()
  for (const entry of skipped) {
    if (entry.adapters !== undefined && !entry.adapters.includes(adapter)) continue
    const found = tests.filter((test) => matches(entry, test))
    const present = [...suites].some((suite) => matchesSuite(entry, suite))
    if (present && found.length === 0) throw new Error(`skipped.js lists a case that does not exist: ${entry.suite}: ${entry.title}`)
    for (const test of found) listed.add(test)
  }
  for (const test of tests) {
    if (listed.has(test) !== only) test.pending = true
    else if (only) limitTime(test)
  }
}

/** Most listed cases wait for what never comes, and some set long limits of their own. */
function limitTime (test) {
  test.timeout = () => TRIAL
}

function matches ({ suite, title }, test) {
  return matchesSuite({ suite }, suiteOf(test)) && (title === undefined || test.title === title)
}

/** `suite` is a title, or a pattern for the suites of one file on several kinds of database. */
function matchesSuite ({ suite }, title) {
  return suite instanceof RegExp ? suite.test(title) : suite === title
}

/** Names the listed cases that passed; where a whole suite is listed, what it is about is gone. */
function checkSkipped (results, skipped) {
  const whole = skipped.filter(({ title }) => title === undefined)
  const passed = results.filter(({ state, test }) => state === 'pass' && !whole.some((entry) => matches(entry, test)))
  for (const { test } of passed) console.log(`Passes, so should not be skipped: ${suiteOf(test)}: ${test.title}`)
  return passed.length === 0
}

module.exports = { applySkips, checkSkipped }
