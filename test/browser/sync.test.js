'use strict'

describe('two browser databases in sync through the server', () => {
  const { assert, browserDatabase, serverDatabase, keepInSync, firstChange, urlOf } = window.page
  let left, right, name

  beforeEach(async () => {
    left = browserDatabase()
    right = browserDatabase()
    name = await serverDatabase()
  })

  const newest = (database, id, rev) => firstChange(database, change => change.id === id && change.changes[0].rev === rev)

  it('show each other\'s new documents, edits and deletions', async () => {
    keepInSync(left, name)
    keepInSync(right, name)
    const created = await left.put({ _id: 'note', text: 'from the left', umlauts: 'äöü ☕ 𝄞' })
    const { doc } = await newest(right, 'note', created.rev)
    assert.deepInclude(doc, { text: 'from the left', umlauts: 'äöü ☕ 𝄞' })

    const edited = await right.put({ ...doc, text: 'from the right' })
    const back = await newest(left, 'note', edited.rev)
    assert.strictEqual(back.doc.text, 'from the right')

    const removed = await left.remove('note', edited.rev)
    const gone = await newest(right, 'note', removed.rev)
    assert.isTrue(gone.deleted)
    const error = await right.get('note').then(() => null, failure => failure)
    assert.strictEqual(error.status, 404)
    const response = await fetch(`${urlOf(name)}/note`)
    assert.strictEqual(response.status, 404)
    assert.deepEqual(await response.json(), { error: 'not_found', reason: 'deleted' })
  })

  it('resolve a conflict to the same winner on all sides', async () => {
    const base = await left.put({ _id: 'plan', text: 'base' })
    await left.replicate.to(urlOf(name))
    await right.replicate.from(urlOf(name))
    await left.put({ _id: 'plan', _rev: base.rev, text: 'left' })
    await right.put({ _id: 'plan', _rev: base.rev, text: 'right, first' })
      .then(({ rev }) => right.put({ _id: 'plan', _rev: rev, text: 'right, second' }))

    keepInSync(left, name)
    keepInSync(right, name)
    const conflicted = change => change.id === 'plan' && change.doc._conflicts?.length === 1
    await Promise.all([firstChange(left, conflicted), firstChange(right, conflicted)])

    const server = await (await fetch(`${urlOf(name)}/plan?conflicts=true`)).json()
    assert.strictEqual(server.text, 'right, second', 'the longer history wins')
    assert.deepEqual(await left.get('plan', { conflicts: true }), server)
    assert.deepEqual(await right.get('plan', { conflicts: true }), server)
  })

  it('agree on the winner of two edits of equal length, and on what is left when it is deleted', async () => {
    await left.put({ _id: 'tie', text: 'left' })
    await right.put({ _id: 'tie', text: 'right' })
    keepInSync(left, name)
    keepInSync(right, name)
    const conflicted = change => change.id === 'tie' && change.doc._conflicts?.length === 1
    const [first] = await Promise.all([firstChange(left, conflicted), firstChange(right, conflicted)])
    assert.deepEqual(await right.get('tie', { conflicts: true }), first.doc)

    await left.remove('tie', first.doc._rev)
    const [loser] = first.doc._conflicts
    const { doc } = await firstChange(right, change => change.id === 'tie' && change.changes[0].rev === loser)
    assert.strictEqual(doc._rev, loser)
    assert.strictEqual((await (await fetch(`${urlOf(name)}/tie`)).json())._rev, loser)
  })

  it('carry many documents, in both directions at once', async () => {
    keepInSync(left, name)
    keepInSync(right, name)
    const ids = side => Array.from({ length: 300 }, (_, index) => `${side}-${index}`)
    await Promise.all([
      left.bulkDocs(ids('left').map(_id => ({ _id }))),
      right.bulkDocs(ids('right').map(_id => ({ _id })))
    ])
    await Promise.all([window.page.allPresent(left, ids('right')), window.page.allPresent(right, ids('left'))])
    const { doc_count: count } = await (await fetch(urlOf(name))).json()
    assert.strictEqual(count, 600)
  })
})
