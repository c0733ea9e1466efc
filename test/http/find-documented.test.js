'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')

/** Films, to ask what the documentation of CouchDB's selectors asks. */
const films = [
  { _id: '071562', title: 'The Godfather: Part II', year: 1974, director: 'Francis Ford Coppola', genre: ['Crime', 'Drama'], imdb: { rating: 9, votes: 1 }, cameras: { main: 'a', secondary: 'b' } },
  { _id: '076759', title: 'Star Wars', year: 1977, director: 'George Lucas', genre: ['Action', 'Adventure'], imdb: { rating: 8.6 } },
  { _id: '075860', title: 'Close Encounters of the Third Kind', year: 1977, director: 'Steven Spielberg', genre: ['Drama'], imdb: { rating: 7.6 } },
  { _id: '100802', title: 'Total Recall', year: 1991, director: 'Paul Verhoeven', genre: ['Action'], imdb: { rating: 7.5 }, cameras: { main: 'c' } },
  { _id: '000010', title: 'Workers Leaving a Factory', year: 1900, director: 'Louis Lumière', genre: ['Short'] },
  { _id: '000011', title: 'A Trip', year: 1901, director: 'Georges Méliès', genre: ['Comedy', 'Short'] },
  { _id: '000012', title: 'Another Trip', year: 1903, director: 'Georges Méliès', genre: ['Comedy', 'Short', 'Horror'] },
  { _id: '000013', title: 'The Haunted', year: 1907, director: 'Segundo de Chomón', genre: ['Horror', 'Horror'] },
  { _id: '276919', title: 'Dogville', year: 2003, director: 'Lars von Trier', genre: ['Drama'], imdb: { rating: 8 } },
  { _id: '780504', title: 'Drive', year: 2011, director: 'Nicolas Winding Refn', genre: [], imdb: { rating: 8 } },
  { _id: '176694', title: 'The Tragedy of Man', year: 2011, director: 'Marcell Jankovics', imdb: { rating: 7.8 } },
  { _id: '816692', title: 'Interstellar', year: 2014, director: 'Christopher Nolan', genre: 'Science fiction', imdb: { rating: 8.6 } }
]

describe('_find as CouchDB documents it', () => {
  const db = new TestDatabase()

  beforeEach(async () => {
    await db.post('_bulk_docs', { docs: films })
  })

  async function titles (body) {
    const answer = await db.post('_find', body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.docs.map(({ title }) => title)
  }

  /** @type {Array<[string, any, string[]]>} */
  const cases = [
    ['several fields that are all equal', { director: 'Lars von Trier', year: 2003 }, ['Dogville']],
    ['a field within a field', { imdb: { rating: 8 } }, ['Dogville', 'Drive']],
    ['the same with a dot', { 'imdb.rating': 8 }, ['Dogville', 'Drive']],
    ['$gt', { year: { $gt: 2010 } }, ['The Tragedy of Man', 'Drive', 'Interstellar']],
    ['$eq', { director: { $eq: 'Lars von Trier' } }, ['Dogville']],
    ['$eq in a field within a field', { imdb: { rating: { $eq: 8 } } }, ['Dogville', 'Drive']],
    ['$and', { $and: [{ director: { $eq: 'Lars von Trier' } }, { year: { $eq: 2003 } }] }, ['Dogville']],
    ['$and with $in', { $and: [{ title: 'Total Recall' }, { year: { $in: [1984, 1991] } }] }, ['Total Recall']],
    ['all ids, and $in', { $and: [{ _id: { $gt: null } }, { year: { $in: [2014, 2015] } }] }, ['Interstellar']],
    ['$or', { year: 1977, $or: [{ director: 'George Lucas' }, { director: 'Steven Spielberg' }] }, ['Close Encounters of the Third Kind', 'Star Wars']],
    ['$not', { year: { $gte: 1900, $lte: 1903 }, $not: { year: 1901 } }, ['Workers Leaving a Factory', 'Another Trip']],
    ['$nor', { year: { $gte: 1900, $lte: 1910 }, $nor: [{ year: 1901 }, { year: 1905 }, { year: 1907 }] }, ['Workers Leaving a Factory', 'Another Trip']],
    ['$all', { _id: { $gt: null }, genre: { $all: ['Comedy', 'Short'] } }, ['A Trip', 'Another Trip']],
    ['$elemMatch', { _id: { $gt: null }, genre: { $elemMatch: { $eq: 'Horror' } } }, ['Another Trip', 'The Haunted']],
    ['$allMatch, which no empty array matches', { _id: { $gt: null }, genre: { $allMatch: { $eq: 'Horror' } } }, ['The Haunted']],
    ['$keyMapMatch', { _id: { $gt: null }, cameras: { $keyMapMatch: { $eq: 'secondary' } } }, ['The Godfather: Part II']],
    ['$ne, for which the field must exist', { genre: { $ne: ['Drama'] }, year: { $gt: 2003 } }, ['Drive', 'Interstellar']],
    ['$exists', { genre: { $exists: false } }, ['The Tragedy of Man']],
    ['$type', { genre: { $type: 'string' } }, ['Interstellar']],
    ['$size', { genre: { $size: 3 } }, ['Another Trip']],
    ['$mod', { year: { $mod: [100, 77] } }, ['Close Encounters of the Third Kind', 'Star Wars']],
    ['$regex', { title: { $regex: '^A' } }, ['A Trip', 'Another Trip']],
    ['$beginsWith', { director: { $beginsWith: 'George' } }, ['A Trip', 'Another Trip', 'Star Wars']],
    ['$nin', { year: { $gt: 2003, $nin: [2011] } }, ['Interstellar']],
    ['strings in ICU\'s order', { title: { $gt: 'a', $lt: 'b' } }, ['A Trip', 'Another Trip']]
  ]

  for (const [what, selector, expected] of cases) {
    it(`understands ${what}`, async () => {
      assert.deepEqual(await titles({ selector }), expected)
      await db.post('_index', { index: { fields: ['year'] } })
      await db.post('_index', { index: { fields: ['director', 'year'] } })
      assert.deepEqual((await titles({ selector })).sort(), [...expected].sort())
    })
  }

  it('sorts what an index finds, and gives a few fields of it', async () => {
    await db.post('_index', { index: { fields: ['year'] } })
    const { body } = await db.post('_find', { selector: { year: { $gt: 2010 } }, fields: ['_id', 'year', 'title'], sort: [{ year: 'asc' }], limit: 2, skip: 0, execution_stats: true })
    assert.deepEqual(body.docs, [{ _id: '176694', year: 2011, title: 'The Tragedy of Man' }, { _id: '780504', year: 2011, title: 'Drive' }])
    assert.equal(typeof body.execution_stats.execution_time_ms, 'number')
    assert.equal(body.execution_stats.results_returned, 2)
    assert.equal(body.execution_stats.total_quorum_docs_examined, 0)
    assert.equal(body.warning, undefined)
  })

  it('sorts by a field that is fixed, and another', async () => {
    await db.post('_index', { index: { fields: ['director', 'year'] } })
    assert.deepEqual(await titles({ selector: { director: 'Georges Méliès' }, sort: [{ director: 'desc' }, { year: 'desc' }] }), ['Another Trip', 'A Trip'])
    assert.deepEqual(await titles({ selector: { director: 'Georges Méliès' }, sort: ['year'] }), ['A Trip', 'Another Trip'])
  })

  it('pages with bookmarks, back too', async () => {
    const page = async bookmark => (await db.post('_find', { selector: { year: { $gt: 0 } }, limit: 5, ...(bookmark && { bookmark }) })).body
    const first = await page()
    const second = await page(first.bookmark)
    const third = await page(second.bookmark)
    const ids = [...first.docs, ...second.docs, ...third.docs].map(({ _id }) => _id)
    assert.deepEqual(ids, films.map(({ _id }) => _id).sort())
    assert.deepEqual((await page(first.bookmark)).docs, second.docs)
    const after = await page(third.bookmark)
    assert.deepEqual(after.docs, [])
    assert.equal(after.bookmark, third.bookmark)
  })

  it('shows conflicts, where they are asked for', async () => {
    await db.replicate({ _id: 'fight', _rev: '1-a', year: 3000 }, { _id: 'fight', _rev: '1-b', year: 3000 })
    const { body } = await db.post('_find', { selector: { year: 3000 }, conflicts: true })
    assert.deepEqual(body.docs, [{ _id: 'fight', _rev: '1-b', year: 3000, _conflicts: ['1-a'] }])
  })

  it('reads an index as it is, with update: false', async () => {
    await db.post('_index', { index: { fields: ['year'] } })
    assert.deepEqual(await titles({ selector: { year: 1991 } }), ['Total Recall'])
    await db.remove(`100802?rev=${(await db.get('100802')).body._rev}`)
    assert.deepEqual(await titles({ selector: { year: 1991 }, update: false }), [])
  })
})
