'use strict'

const assert = require('node:assert/strict')
const { codeOf } = require('../pages')

module.exports = (context) => describe('a transaction', () => {
  const transact = (reads, writes, options) => context.store.transact({ reads, writes }, options)
  const refusalOf = async (...given) => {
    try {
      return await transact(...given)
    } catch (error) {
      return [error.code, error.conflicts ?? error.id]
    }
  }
  const bodyOf = async (id) => (await context.store.get(id)).body

  it('writes all if all that was read still holds', async () => {
    const { store } = context
    const [a, b] = await store.write([{ _id: 'a', n: 1 }, { _id: 'b', n: 1 }])
    const { rev: local } = await store.putLocal({ _id: '_local/l', n: 1 })
    const reads = [{ id: 'a', rev: a.rev }, { id: 'new', rev: null }, { id: 'other', rev: null }, { id: '_local/l', rev: local }, { id: '_local/none', rev: null }]
    const results = await transact(reads, [
      { _id: 'b', _rev: b.rev, _deleted: true }, { _id: 'new', n: 2 }, { n: 3 }, { _id: '_local/l', _rev: local, n: 4 },
      { _id: '_design/d', _attachments: { f: { data: 'aGk=' } } }
    ])
    assert.deepEqual(results.map(({ ok, id }) => [ok, id.length === 32 ? 'made up' : id]), [[true, 'b'], [true, 'new'], [true, 'made up'], [true, '_local/l'], [true, '_design/d']])
    assert.deepEqual(results.map(({ rev }) => rev.slice(0, 2)), ['2-', '1-', '1-', '0-', '1-'])
    assert.equal(await codeOf(store.get('b')), 'DELETED')
    assert.equal(await bodyOf('new'), '{"n":2}')
    assert.equal((await store.getLocal('_local/l')).body, '{"n":4}')
    assert.equal((await (await store.getAttachment('_design/d', 'f')).read()).toString(), 'hi')
    assert.equal(store.updateSeq, 6)
  })

  it('writes nothing if a document was changed, removed, or is there, and tells all that changed', async () => {
    const { store } = context
    const [a, b, c] = await store.write([{ _id: 'a' }, { _id: 'b' }, { _id: 'c' }])
    const { rev: changed } = await store.put({ _id: 'a', _rev: a.rev, n: 2 })
    await store.put({ _id: 'b', _rev: b.rev, _deleted: true })
    await store.putLocal({ _id: '_local/l' })
    const seq = store.updateSeq
    const reads = [{ id: 'a', rev: a.rev }, { id: 'b', rev: b.rev }, { id: 'c', rev: null }, { id: '_local/l', rev: null }, { id: 'none', rev: '1-abc' }]
    const now = [{ id: 'a', rev: changed }, { id: 'b', rev: null }, { id: 'c', rev: c.rev }, { id: '_local/l', rev: '0-1' }, { id: 'none', rev: null }]
    assert.deepEqual(await refusalOf(reads, [{ _id: 'x' }]), ['CONFLICT', now])
    for (const [i, read] of reads.entries()) assert.deepEqual(await refusalOf([read], [{ _id: 'x' }, { _id: 'y', _attachments: { f: { data: 'aGk=' } } }]), ['CONFLICT', [now[i]]])
    assert.deepEqual(await refusalOf([reads[0]], []), ['CONFLICT', [now[0]]])
    assert.deepEqual([await codeOf(store.get('x')), await codeOf(store.get('y'))], ['MISSING', 'MISSING'])
    assert.equal(store.updateSeq, seq)
  })

  it('takes the winner for the document, and a deleted one by its revision or as none', async () => {
    const { store } = context
    await store.write([{ _id: 'a', _rev: '1-a' }, { _id: 'a', _rev: '1-b' }], { newEdits: false })
    assert.deepEqual(await refusalOf([{ id: 'a', rev: '1-a' }], []), ['CONFLICT', [{ id: 'a', rev: '1-b' }]])
    assert.deepEqual(await transact([{ id: 'a', rev: '01-b' }], []), [])
    const { rev } = await store.put({ _id: 'b', _rev: (await store.put({ _id: 'b' })).rev, _deleted: true })
    assert.deepEqual(await transact([{ id: 'b', rev }], []), [])
    assert.equal((await transact([{ id: 'b', rev: null }], [{ _id: 'b' }]))[0].rev.slice(0, 2), '3-')
    assert.deepEqual((await refusalOf([{ id: 'b', rev }], []))[0], 'CONFLICT')
  })

  it('writes nothing if one document is refused, and says why', async () => {
    const { store } = context
    const [, b] = await store.write([{ _id: 'a' }, { _id: 'b' }])
    const { rev: changed } = await store.put({ _id: 'b', _rev: b.rev, n: 2 })
    const seq = store.updateSeq
    const streamed = { async * [Symbol.asyncIterator] () { yield Buffer.alloc(300000, 7) } }
    for (const more of [[], [{ _id: 'y', _attachments: { f: { data: 'aGk=' } } }], [{ _id: 'y', _attachments: { f: { data: streamed } } }]]) {
      const writes = (doc) => [{ _id: 'x' }, ...more, doc, { _id: '_local/x' }]
      assert.deepEqual(await refusalOf([], writes({ _id: 'b', _rev: b.rev })), ['CONFLICT', [{ id: 'b', rev: changed }]])
      assert.deepEqual(await refusalOf([], writes({ _id: 'none', _rev: '1-abc' })), ['CONFLICT', [{ id: 'none', rev: null }]])
      assert.deepEqual(await refusalOf([], writes({ _id: '_local/none', _rev: '0-7' })), ['CONFLICT', [{ id: '_local/none', rev: null }]])
      assert.deepEqual(await refusalOf([], writes({ _id: '_bad' })), ['ILLEGAL_DOCID', '_bad'])
      assert.deepEqual(await refusalOf([], writes({ _id: 'stub', _attachments: { f: { stub: true } } })), ['MISSING_STUB', 'stub'])
      assert.deepEqual(await refusalOf([{ id: 'a', rev: null }], writes({ _id: 'b' })), ['CONFLICT', [{ id: 'a', rev: (await store.get('a')).rev }, { id: 'b', rev: changed }]])
    }
    assert.deepEqual(await refusalOf([], [{ _id: 'b' }, { _id: 'c', _special: 1 }]), ['DOC_VALIDATION', 'c'])
    assert.deepEqual([store.updateSeq, await codeOf(store.get('x')), await codeOf(store.getLocal('_local/x'))], [seq, 'MISSING', 'MISSING'])
    for (const [gte, lt] of [['a', 'd'], ['u', 'v']]) assert.deepEqual(await context.level.keys({ gte, lt }).all(), [])
  })

  it('is refused if it names a document twice, or is malformed', async () => {
    const { store } = context
    const malformed = [
      [[], [{ _id: 'a' }, { _id: 'a' }]], [[], [{ _id: '_local/a' }, { _id: '_local/a', _deleted: true }]],
      [[{ id: 'a', rev: null }, { id: 'a', rev: null }], []], [{}, []], [[], {}], [[null], []], [[{ id: 'a' }], []], [[{ id: 'a', rev: 1 }], []],
      [[{ id: 'a', rev: 'x' }], []], [[{ id: 1, rev: null }], []], [[{ id: '_x', rev: null }], []], [[], [null]], [[], [7]]
    ]
    for (const [reads, writes] of malformed) {
      await assert.rejects(transact(reads, writes), { status: 400 }, JSON.stringify([reads, writes]))
    }
    for (const transaction of [undefined, null, [], 'x']) await assert.rejects(store.transact(transaction), { status: 400 })
    assert.deepEqual(await store.transact({}), [])
    assert.equal(store.updateSeq, 0)
  })

  it('sees what those before it wrote, and those beside it go on', async () => {
    const { store } = context
    const { rev } = await store.put({ _id: 'a' })
    const outcomes = await Promise.allSettled([
      store.put({ _id: 'x' }),
      transact([{ id: 'a', rev }, { id: 'x', rev: null }], [{ _id: 'no' }]),
      transact([{ id: 'a', rev }], [{ _id: 'a', _rev: rev, n: 1 }]),
      transact([{ id: 'a', rev }], [{ _id: 'never' }]),
      transact([{ id: 'b', rev: null }], [{ _id: 'b' }]),
      transact([{ id: 'b', rev: null }], [{ _id: 'b2' }]),
      store.put({ _id: 'y' })
    ])
    assert.deepEqual(outcomes.map(({ reason }) => reason?.code), [undefined, 'CONFLICT', undefined, 'CONFLICT', undefined, 'CONFLICT', undefined])
    assert.deepEqual((await store.allDocs()).totalRows, 4)
    assert.equal((await store.info()).docCount, 4)
  })

  it('keeps a rule about documents that it read and others wrote', async () => {
    const { store } = context
    const doctors = ['a', 'b', 'c', 'd']
    for (let round = 0; round < 10; round++) {
      const known = await store.bulkGet(doctors.map((id) => ({ id })))
      await store.write(doctors.map((_id, i) => ({ _id, _rev: known[i].ok?.rev, onCall: true })))
      const leave = async (id) => {
        const found = (await store.bulkGet(doctors.map((id) => ({ id })))).map(({ ok }) => ({ id: ok.id, rev: ok.rev, ...JSON.parse(ok.body) }))
        const own = found.find((each) => each.id === id)
        if (found.filter(({ onCall }) => onCall).length < 2) return
        await transact(found.map(({ id, rev }) => ({ id, rev })), [{ _id: id, _rev: own.rev, onCall: false }])
      }
      const outcomes = await Promise.allSettled(doctors.map(leave))
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
      for (const { reason } of outcomes) assert.ok(reason === undefined || reason.code === 'CONFLICT', reason)
    }
  })

  it('keeps a sum that many move at once', async () => {
    const { store } = context
    const accounts = ['a', 'b', 'c', 'd', 'e']
    await store.write(accounts.map((_id) => ({ _id, amount: 100 })))
    let moved = 0
    const read = async (id) => ({ _id: id, _rev: undefined, ...JSON.parse(await bodyOf(id)) })
    const total = async () => {
      let sum = 0
      for (const id of accounts) sum += (await read(id)).amount
      return sum
    }
    const move = async (n) => {
      for (;;) {
        const [from, to] = [accounts[n % 5], accounts[(n * 3 + 1) % 5]]
        if (from === to) return
        const found = await store.bulkGet([{ id: from }, { id: to }])
        const [one, other] = found.map(({ ok }) => ({ _id: ok.id, _rev: ok.rev, ...JSON.parse(ok.body) }))
        const amount = Math.min(one.amount, n % 7)
        try {
          await transact([{ id: from, rev: one._rev }], [{ ...one, amount: one.amount - amount }, { ...other, amount: other.amount + amount }])
          moved++
          return
        } catch (error) {
          assert.equal(error.code, 'CONFLICT')
        }
      }
    }
    await Promise.all(Array.from({ length: 60 }, (_, n) => move(n)))
    assert.ok(moved > 40)
    assert.equal(await total(), 500)
  })
})
