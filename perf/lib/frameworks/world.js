'use strict'

/**
 * The data of TechEmpower's benchmarks, the same in each store.
 *
 * @see https://github.com/TechEmpower/FrameworkBenchmarks/wiki/Project-Information-Framework-Tests-Overview
 */

const ROWS = 10_000

const MESSAGES = [
  'fortune: No such file or directory', "A computer scientist is someone who fixes things that aren't broken.", 'After enough decimal places, nobody gives a damn.',
  'A bad random number generator: 1, 1, 1, 1, 1, 4.33e+67, 1, 1, 1', 'A computer program does what you tell it to do, not what you want it to do.',
  'Emacs is a nice operating system, but I prefer UNIX. — Tom Christaensen', 'Any program that runs right is obsolete.', 'A list is only as strong as its weakest link. — Donald Knuth',
  'Feature: A bug with seniority.', 'Computers make very fast, very accurate mistakes.', '<script>alert("This should not be displayed in a browser alert box.");</script>', 'フレームワークのベンチマーク'
]

const ADDED = 'Additional fortune added at request time.'

/** A row's number before any update. @param {number} id */
function firstNumber (id) { return id * 7919 % ROWS + 1 }

function anyNumber () { return Math.floor(Math.random() * ROWS) + 1 }

/** As many rows as a request asks for: from 1 to 500. @param {string | null | undefined} text */
function countOf (text) { return Math.min(500, Math.max(1, Number.parseInt(text ?? '1') || 1)) }

/** The fortunes and one more, by their texts, as a page. @param {Array<{ id: number, message: string }>} fortunes */
function pageOf (fortunes) {
  const rows = [...fortunes, { id: 0, message: ADDED }].sort((a, b) => a.message < b.message ? -1 : 1)
  const cells = rows.map(({ id, message }) => `<tr><td>${id}</td><td>${escape(message)}</td></tr>`).join('')
  return `<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>${cells}</table></body></html>`
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** @param {string} text */
function escape (text) { return text.replace(/[&<>"']/g, character => ENTITIES[character]) }

module.exports = { ADDED, MESSAGES, ROWS, anyNumber, countOf, firstNumber, pageOf }
