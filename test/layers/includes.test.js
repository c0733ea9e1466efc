'use strict'

const assert = require('node:assert')
const { readFileSync } = require('node:fs')
const path = require('node:path')
const { root, listFiles } = require('./workspaces')

/** @returns {Array<{ file: string, header: string }>} */
function includes (folder) {
  return listFiles(folder, /\.(h|hpp|cc|cpp|c)$/).flatMap(file =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(/^\s*#\s*include\s*[<"]([^>"]+)[>"]/gm)].map(([, header]) => ({ file, header })))
}

describe('native code', () => {
  const engine = includes('packages/pmemobj/src/engine')
  const binding = includes('packages/pmemobj/src/binding')

  it('has an engine on libpmemobj that does not know Node.js', () => {
    assert.ok(engine.some(({ header }) => header === 'libpmemobj.h'), 'the engine uses libpmemobj')
    assert.deepStrictEqual(engine.filter(({ header }) => /^(node|napi|node_api|js_native_api|uv|v8)\b/.test(header) || header.includes('binding/')), [])
  })

  it('has an engine of rooms that know only those below', () => {
    const below = {
      base: [],
      heap: ['base'],
      medium: ['base', 'heap'],
      space: ['base', 'heap', 'medium'],
      log: ['base', 'medium', 'space'],
      tree: ['base', 'medium', 'space'],
      maps: ['base', 'tree'],
      states: ['base', 'tree'],
      commit: ['base', 'medium', 'space', 'log', 'tree', 'maps', 'states'],
      pool: ['base', 'medium', 'space', 'log', 'tree', 'maps', 'commit'],
      check: ['base', 'heap', 'medium', 'space', 'log', 'tree'],
      salvage: ['base', 'heap', 'medium', 'space', 'log', 'tree', 'check']
    }
    const roomOf = file => /(?:^|\/)engine\/(\w+)\//.exec(file)?.[1]
    const between = engine.filter(({ file, header }) => roomOf(file) && roomOf(header) && roomOf(file) !== roomOf(header))
    assert.ok(between.length > 30, 'rooms use each other')
    assert.deepStrictEqual(between.filter(({ file, header }) => !below[roomOf(file)]?.includes(roomOf(header))), [])
  })

  it('has a binding to Node.js that does not know libpmemobj', () => {
    assert.ok(binding.some(({ header }) => header === 'napi.h'), 'the binding uses Node-API')
    assert.deepStrictEqual(binding.filter(({ header }) => /^libpmem/.test(header)), [])
  })

  it('has an addon for collation that knows neither of them, nor headers of ICU', () => {
    const collation = includes('packages/collation/src')
    assert.ok(collation.some(({ header }) => header === 'node_api.h'), 'the addon uses Node-API')
    assert.deepStrictEqual(collation.filter(({ header }) => /^libpmem|^unicode\/|engine\/|binding\//.test(header)), [])
  })

  it('has a binding that sees the engine through its public headers alone', () => {
    const known = ['engine/engine.h', 'engine/check/checker.h', 'engine/medium/claim.h', 'engine/salvage/salvage.h']
    const others = binding.filter(({ header }) => header.includes('engine/') && !known.includes(header))
    assert.deepStrictEqual(others, [])
  })
})
