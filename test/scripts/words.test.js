'use strict'

const assert = require('node:assert')
const { findings } = require('../../scripts/lib/words/check')

const found = (name, content) => findings(name, content).map(finding => `${finding.line}: ${finding.found}`)

describe('the check of words', () => {
  it('finds sentences of comments that begin without a subject', () => {
    assert.deepStrictEqual(found('a.js', '/** What it holds. */\nconst a = 1 // What is code is not looked at.\n// A pool. Where it is full, it grows.\n'), ['1: What it holds', '3: Where it is full, it grows'])
    assert.deepStrictEqual(found('a.h', '  // Of the pages\n  // that are left.\n'), ['1: Of the pages that are left'])
  })

  it('finds what tags of JSDoc say', () => {
    assert.deepStrictEqual(found('a.js', '/**\n * Reads.\n *\n * @param {{ a: string }} b Whose it is\n * @returns {string} Those of it\n */\n'), ['4: Whose it is', '5: Those of it'])
  })

  it('finds words of old, and says those of today', () => {
    assert.deepStrictEqual(findings('a.js', '// Builds it anew.\n'), [{ line: 1, found: 'anew', advice: 'say again' }])
  })

  it('lets questions, headings and code be', () => {
    assert.deepStrictEqual(found('a.md', '# What it is\n\nWhat is it? A pool.\n\n```js\n// What it is\n```\n\n    What it is\n\n| What it is |\n'), [])
    assert.deepStrictEqual(found('a.md', 'A list:\n- Where it is.\n- "What" is a word.\n'), ['2: Where it is'])
    assert.deepStrictEqual(found('a.js', "const a = 'What it is'\n"), [])
  })
})
