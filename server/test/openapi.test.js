'use strict'

const assert = require('node:assert')
const { routes } = require('../lib/dispatch/routes')
const { describeRoutes } = require('../lib/openapi/document')
const { REFUSALS, SUMMARIES } = require('../lib/openapi/summaries')

describe('the OpenAPI document', () => {
  it('has a summary for each route that does not only refuse', () => {
    const missing = routes.filter(({ method, path }) => (SUMMARIES[path]?.[method] === undefined) === !REFUSALS.has(path))
    assert.deepStrictEqual(missing.map(({ method, path }) => `${method} ${path}`), [])
  })

  it('has no summary of a route that is not there', () => {
    const names = new Set(routes.map(({ method, path }) => `${method} ${path}`))
    const summaries = Object.entries(SUMMARIES).flatMap(([path, methods]) => Object.keys(methods).map(method => `${method} ${path}`))
    assert.deepStrictEqual(summaries.filter(name => !names.has(name)), [])
    assert.deepStrictEqual([...REFUSALS].filter(path => !routes.some(route => route.path === path)), [])
  })

  it('declares each variable of a path, and each parameter of the query', () => {
    const { paths } = describeRoutes(routes)
    for (const [path, item] of Object.entries(paths)) {
      const declared = (item.parameters ?? []).map(({ name }) => name)
      assert.deepStrictEqual(declared, [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    }
    assert.deepStrictEqual(paths['/_uuids'].get.parameters, [{ name: 'count', in: 'query', schema: { type: 'string' } }])
    assert.strictEqual(paths['/{db}'].put['x-who'], 'admin')
  })
})
