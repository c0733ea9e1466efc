'use strict'

const assert = require('node:assert/strict')
const { segmentsOf } = require('../lib/http/path')
const { parseQuery, oneOf } = require('../lib/http/query')
const { RouteTable, forMethod, allowed } = require('../lib/dispatch/route-table')
const { routes } = require('../lib/dispatch/routes')
const { formatSequence, parseSequence } = require('../lib/databases/sequence')

describe('paths', () => {
  for (const [path, segments] of /** @type {Array<[string, string[]]>} */ ([
    ['/', []], ['/db', ['db']], ['/db/', ['db']], ['/a%2Fb/c', ['a/b', 'c']], ['/db/_design/x', ['db', '_design/x']], ['/db/_design%2Fx', ['db', '_design/x']],
    ['/db/_design/x/_view/y', ['db', '_design/x', '_view', 'y']], ['/db/_local/x%2Fy', ['db', '_local/x/y']], ['/db/doc/a//b', ['db', 'doc', 'a', 'b']], ['//db//_design//x//', ['db', '_design/x']], ['/db/doc/a%2F%2Fb', ['db', 'doc', 'a//b']],
    ['/_node/_local/_system', ['_node', '_local', '_system']], ['/db/_design', ['db', '_design']]
  ])) {
    it(`${path} is ${JSON.stringify(segments)}`, () => assert.deepEqual(segmentsOf(path), segments))
  }

  it('with broken escapes are bad requests', () => assert.throws(() => segmentsOf('/a/%E0%A4%A'), { status: 400 }))
})

describe('routes', () => {
  const handler = () => {}
  const table = new RouteTable([
    { method: 'GET', path: '/', who: 'anyone', handler },
    { method: 'GET', path: '/:db', who: 'anyone', handler },
    { method: 'PUT', path: '/:db', who: 'anyone', handler },
    { method: 'GET', path: '/:db/_all_docs', who: 'anyone', handler },
    { method: 'GET', path: '/:db/:doc', who: 'anyone', handler },
    { method: 'GET', path: '/:db/:local', who: 'anyone', handler },
    { method: 'GET', path: '/:db/:doc/:attachment+', who: 'anyone', handler },
    { method: 'GET', path: '/:db/:ddoc/_view/:view', who: 'anyone', handler }
  ])
  const find = (...segments) => {
    const found = table.find(segments)
    const route = found && forMethod(found.methods, 'GET')
    return route && [route.path, ...found.values]
  }

  it('are found, words before variables', () => {
    assert.deepEqual(find(), ['/'])
    assert.deepEqual(find('db'), ['/:db', 'db'])
    assert.deepEqual(find('db', '_all_docs'), ['/:db/_all_docs', 'db'])
    assert.deepEqual(find('db', '_design/x'), ['/:db/:doc', 'db', '_design/x'])
    assert.deepEqual(find('db', '_local/x'), ['/:db/:local', 'db', '_local/x'])
    assert.deepEqual(find('db', '_design/x', '_view', 'v'), ['/:db/:ddoc/_view/:view', 'db', '_design/x', 'v'])
    assert.deepEqual(find('db', '_design/x', '_view'), ['/:db/:doc/:attachment+', 'db', '_design/x', '_view'])
    assert.deepEqual(find('db', 'doc', 'a', 'b'), ['/:db/:doc/:attachment+', 'db', 'doc', 'a/b'])
  })

  it('answer HEAD as GET, and name their methods', () => {
    const { methods } = table.find(['db'])
    assert.equal(forMethod(methods, 'HEAD').method, 'GET')
    assert.equal(forMethod(methods, 'DELETE'), undefined)
    assert.equal(allowed(methods), 'GET,HEAD,PUT')
  })

  it('cannot be there twice', () => {
    const route = /** @type {any} */ ({ method: 'GET', path: '/a', who: 'anyone', handler })
    assert.throws(() => new RouteTable([route, route]), /Two routes/)
  })

  it('of the server all say who may, and reach databases only as members, but for those made to', () => {
    const known = ['anyone', 'user', 'admin', 'metrics', 'member', 'database-admin', 'maintainer']
    for (const { method, path, who } of routes) {
      assert.ok(known.includes(who) || (typeof who === 'function' && !path.startsWith('/:db')), `${method} ${path}`)
      if (path.startsWith('/:db')) assert.ok(['member', 'database-admin', 'maintainer', 'admin'].includes(who), `${method} ${path} is for ${who}`)
    }
  })
})

describe('query parameters', () => {
  const declared = { n: 'integer', c: 'count', b: 'boolean', j: 'json', a: 'array', s: 'string', w: oneOf('x', 'y') }

  it('are values of their types', () => {
    assert.deepEqual(parseQuery('n=-3&c=4&b=true&j={"a":1}&a=[1]&s=a%20b&w=x&other=1', declared), { n: -3, c: 4, b: true, j: { a: 1 }, a: [1], s: 'a b', w: 'x' })
    assert.deepEqual(parseQuery('', declared), {})
    assert.deepEqual(parseQuery('s=1&s=2', declared), { s: '1' })
  })

  for (const query of ['n=x', 'n=', 'n=1.5', 'c=-1', 'b=1', 'b=', 'j={', 'a={}', 'w=z']) {
    it(`refuses ${query}`, () => assert.throws(() => parseQuery(query, declared), { status: 400 }))
  }
})

describe('sequences', () => {
  const database = { instanceId: '0123456789abcdef0123456789abcdef' }

  it('are read back', () => {
    assert.equal(parseSequence(database, formatSequence(database, 42)), 42)
    assert.equal(parseSequence(database, JSON.stringify(formatSequence(database, 42))), 42)
    for (const [text, number] of [[7, 7], ['0', 0]]) assert.equal(parseSequence(database, text), number)
  })

  it('of another database of the same name mean nothing', () => {
    assert.equal(parseSequence(database, formatSequence({ instanceId: 'f'.repeat(32) }, 42)), 0)
  })

  for (const bad of ['x', '7', '-1', '1.5', '', -1, 1.5, '99999999999999999999']) {
    it(`cannot be ${JSON.stringify(bad)}`, () => assert.throws(() => parseSequence(database, bad), { status: 400 }))
  }
})
