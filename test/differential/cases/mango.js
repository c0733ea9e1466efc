'use strict'

/** @type {import('../support/case').Case[]} */
module.exports = [
  {
    what: 'sorts without an index',
    async run (db) {
      await db.post('/_bulk_docs', { docs: [1, 2, 3].map(n => ({ _id: `d${n}`, n, m: 4 - n })) })
      for (const body of [
        { selector: { n: 1 }, sort: ['m'] },
        { selector: { n: { $gt: 0 } }, sort: ['n'] },
        { selector: {}, sort: ['n'] },
        { selector: {}, sort: ['_id'] },
        { selector: {}, sort: [{ _id: 'desc' }] },
        { selector: { n: 1 }, sort: ['_id'] },
        { selector: { n: 1 }, sort: ['_id', 'n'] },
        { selector: { _id: 'd1' }, sort: ['n'] },
        { selector: { n: 1 }, sort: ['n', { m: 'desc' }] },
        { selector: { n: 1 }, allow_fallback: false },
        { selector: { _id: { $gt: null } }, allow_fallback: false },
        { selector: { n: 1 }, use_index: 'none' },
        { selector: { n: 1 }, use_index: 'none', allow_fallback: false },
        { selector: { n: 1 }, use_index: 'none', sort: ['n'] }
      ]) await db.post('/_find', body)
    }
  },
  {
    what: 'sorts with an index',
    async run (db) {
      await db.post('/_bulk_docs', { docs: [1, 2, 3].map(n => ({ _id: `d${n}`, n, m: 4 - n, c: 1 })) })
      await db.post('/_index', { index: { fields: ['n'] }, ddoc: 'n', name: 'n' })
      await db.post('/_index', { index: { fields: ['c', 'n'] }, ddoc: 'cn', name: 'cn' })
      for (const body of [
        { selector: { n: { $gt: 0 } }, sort: ['n'] },
        { selector: { c: 1 }, sort: ['n'] },
        { selector: { c: 1, n: { $gt: 0 } }, sort: ['n'] },
        { selector: { c: 1 }, sort: ['c', 'n'] },
        { selector: { c: { $gt: 0 } }, sort: ['n'] },
        { selector: { n: { $gt: 0 } }, sort: ['_id'] },
        { selector: { m: { $gt: 0 } }, sort: ['n'] },
        { selector: {}, sort: ['n'] },
        { selector: { n: { $exists: true } }, sort: ['n'] },
        { selector: { n: { $ne: 2 } }, sort: ['n'] },
        { selector: { $or: [{ n: 1 }, { n: 2 }] }, sort: ['n'] },
        { selector: { $or: [{ n: 1 }, { m: 2 }] }, sort: ['n'] },
        { selector: { n: { $in: [3, 1] } }, sort: ['n'] },
        { selector: { n: { $gt: 0 } }, sort: [{ n: 'desc' }] },
        { selector: { n: { $gt: 0 } }, sort: ['n', '_id'] },
        { selector: { c: 1, n: { $gt: 0 } }, sort: [{ c: 'desc' }, { n: 'desc' }] },
        { selector: { c: { $in: [1, 2] } }, sort: ['n'] },
        { selector: { c: { $in: [1, 2] }, n: { $gt: 0 } }, sort: ['n'] },
        { selector: { c: 1, n: { $gt: 1 } }, sort: ['n', 'c'] },
        { selector: { n: { $gt: 0 } }, use_index: 'cn', sort: ['n'] },
        { selector: { n: { $gt: 0 } }, use_index: 'cn', allow_fallback: false },
        { selector: { n: { $gt: 0 } }, use_index: ['n', 'none'] }
      ]) await db.post('/_find', body)
    }
  },
  {
    what: 'partial indexes',
    async run (db) {
      await db.post('/_bulk_docs', { docs: [1, 2, 3].map(n => ({ _id: `d${n}`, n, s: n > 1 ? 'x' : 'y' })) })
      await db.post('/_index', { index: { fields: ['n'], partial_filter_selector: { s: 'x' } }, ddoc: 'p', name: 'p' })
      for (const body of [
        { selector: { n: { $gt: 0 } } },
        { selector: { n: { $gt: 0 }, s: 'x' } },
        { selector: { n: { $gt: 0 }, s: 'x' }, sort: ['n'] },
        { selector: { n: { $gt: 0 } }, use_index: 'p' },
        { selector: { n: { $gt: 0 } }, use_index: 'p', sort: ['n'] },
        { selector: { n: { $gt: 0 }, s: 'x' }, use_index: ['p', 'p'] },
        { selector: { n: { $gt: 0 }, s: 'x' } }
      ]) await db.post('/_find', body)
    }
  },
  {
    what: 'combinations of nothing',
    async run (db) {
      await db.post('/_bulk_docs', { docs: [1, 2].map(n => ({ _id: `d${n}`, n, l: [n] })) })
      for (const selector of [
        { $or: [] }, { $and: [] }, { $nor: [] }, { n: { $or: [] } }, { $or: [{}] }, { $or: [{}, { n: 1 }] }, { $and: [{}] }, { $nor: [{}] },
        { $or: [[]] }, { $or: [[], { n: 1 }] }, { $and: [[]] }, { $nor: [[]] }, { n: 1, $or: [] }, { n: { $in: [] } }, { n: { $nin: [] } }, { n: { $all: [] } },
        { l: { $all: [] } }, { $not: {} }, { n: {} }, { n: [] }, { l: { $elemMatch: {} } }, { l: { $allMatch: {} } }, [], 'x', null
      ]) await db.post('/_find', { selector })
    }
  },
  {
    what: 'numbers of `execution_stats`',
    differs: true,
    async run (db) {
      await db.post('/_bulk_docs', { docs: [1, 2, 3, 4, 5, 6, 7, 8].map(n => ({ _id: `d${n}`, n, s: n % 2 })) })
      await db.post('/_index', { index: { fields: ['n'] }, ddoc: 'n', name: 'n' })
      for (const body of [
        { selector: { s: 1 } },
        { selector: { s: 1 }, limit: 2 },
        { selector: { s: 1 }, limit: 2, skip: 1 },
        { selector: { n: { $gt: 2 } } },
        { selector: { n: { $gt: 2 } }, limit: 2 },
        { selector: { n: { $gt: 2 }, s: 1 } },
        { selector: { n: { $gt: 2 }, s: 1 }, limit: 1 },
        { selector: { n: { $gt: 2 } }, fields: ['n'] },
        { selector: { n: { $gt: 2 } }, fields: ['_id'] },
        { selector: { n: 99 } },
        { selector: { s: 1 }, r: 2 },
        { selector: { _id: 'd1' } },
        { selector: { n: { $gt: 2 } }, limit: 0 },
        { selector: {} }
      ]) await db.post('/_find', { ...body, execution_stats: true })
    }
  },
  {
    what: 'paths below _index',
    async run (db) {
      await db.post('/_index', { index: { fields: ['n'] }, ddoc: 'n', name: 'n' })
      for (const [method, path] of [
        ['GET', '/_index/x'], ['GET', '/_index/_design/n/json/n'], ['DELETE', '/_index/n/json'], ['DELETE', '/_index/n/json/none'], ['DELETE', '/_index/none/json/n'],
        ['DELETE', '/_index/n/text/n'], ['DELETE', '/_index/n/bad/n'], ['DELETE', '/_index/_design/n/json/none'], ['DELETE', '/_index'], ['PUT', '/_index'], ['PUT', '/_index/n/json/n'],
        ['POST', '/_index/x'], ['GET', '/_index/_bulk_delete'], ['DELETE', '/_index/n'], ['DELETE', '/_index/_design/n/json'], ['DELETE', '/_index/n/json/n/more'],
        ['POST', '/_index/_design/n/json/n'], ['GET', '/_find'], ['PUT', '/_find'], ['POST', '/_find/x'], ['GET', '/_explain'], ['POST', '/_explain/x'], ['DELETE', '/_index/_design%2Fn/json/n'], ['DELETE', '/_index/n/json/n']
      ]) await db.ask(method, path, method === 'POST' ? {} : undefined)
    }
  },
  {
    what: 'making and listing indexes',
    async run (db) {
      for (const body of [
        {}, { index: {} }, { index: { fields: [] } }, { index: { fields: ['n'] }, name: 'x', ddoc: 'd' }, { index: { fields: ['n'] }, name: 'x', ddoc: 'd' }, { index: { fields: [{ n: 'desc' }] }, name: 'y', ddoc: 'd' },
        { index: { fields: [{ n: 'desc' }, 'm'] } }, { index: { fields: ['n'] }, type: 'bad' }, { index: { fields: [5] } }, { index: { fields: ['n'], partial_filter_selector: [] } },
        { index: 5 }, { index: { fields: ['n'] }, name: 5 }, { index: { fields: ['n'] }, ddoc: 5 }, { index: { fields: ['n'] }, bad: 5 }, { index: { fields: 'n' } }
      ]) await db.post('/_index', body)
      await db.get('/_index')
      await db.get('/_index?limit=1')
      await db.get('/_index?skip=1')
      await db.post('/_index/_bulk_delete', { docids: ['d', 'none'] })
      await db.post('/_index/_bulk_delete', {})
    }
  },
  {
    what: 'bad finds',
    async run (db) {
      await db.put('/a', { n: 1 })
      for (const body of [
        {}, { selector: {}, limit: -1 }, { selector: {}, limit: 'x' }, { selector: {}, skip: -1 }, { selector: {}, fields: 'n' }, { selector: {}, fields: [] }, { selector: {}, fields: [5] }, { selector: {}, sort: 5 }, { selector: {}, sort: [5] },
        { selector: {}, sort: [{ n: 'up' }] }, { selector: { n: { $bad: 1 } } }, { selector: { $bad: 1 } }, { selector: { n: { $regex: '(' } } }, { selector: { n: { $mod: [0, 1] } } }, { selector: {}, bookmark: 'x' }, { selector: {}, use_index: 5 },
        { selector: {}, conflicts: 'x' }, { selector: {}, r: 'x' }, { selector: {}, unknown: 1 }, { selector: {}, update: 'x' }, { selector: {}, stable: 'x' }, { selector: {}, partition: 'x' }, { selector: { n: { $gt: 0, $lt: 'x' } } }
      ]) await db.post('/_find', body)
    }
  }
]
