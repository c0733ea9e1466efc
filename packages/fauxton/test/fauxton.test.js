'use strict'

const assert = require('node:assert/strict')
const { readFileSync, statSync } = require('node:fs')
const path = require('node:path')
const { folder, version } = require('..')

describe('the files of Fauxton', () => {
  const page = readFileSync(path.join(folder, 'index.html'), 'utf8')

  it('have each file that the page loads', () => {
    const loaded = [...page.matchAll(/(?:src|href)="\.?\/?([^":#?]+\.(?:js|css|ico))[^"]*"/g)].map(([, name]) => name)
    assert.ok(loaded.some(name => name.endsWith('.js')) && loaded.some(name => name.endsWith('.css')), loaded.join())
    for (const name of loaded) assert.ok(statSync(path.join(folder, name)).size > 0, name)
  })

  it('are of a release', () => {
    assert.match(version, /^\d+\.\d+\.\d+$/)
  })
})
