'use strict'

const assert = require('node:assert')
const { makeFiles } = require('../../perf/lib/published/files')
const { makeReference } = require('../../scripts/lib/docs/files')
const { undescribed } = require('../../scripts/lib/docs/configuration')
const { read } = require('./markdown')

describe('pages that are made of code and figures', () => {
  const files = { ...makeFiles(read), ...makeReference() }

  for (const [name, content] of Object.entries(files)) {
    it(`${name} is what npm run docs writes`, () => {
      assert.ok(read(name) === content, 'run npm run docs')
    })
  }

  it('say what every setting with a default means', () => {
    assert.deepStrictEqual(undescribed(), [])
  })
})
