'use strict'

describe('attachments of browser databases', () => {
  const { assert, browserDatabase, serverDatabase, keepInSync, firstChange, urlOf } = window.page

  /** Random bytes; the browser gives 65536 at a time. */
  function randomBytes (length) {
    const bytes = new Uint8Array(length)
    for (let at = 0; at < length; at += 65536) crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65536, length)))
    return bytes
  }

  async function bytesOf (blob) {
    return new Uint8Array(await blob.arrayBuffer())
  }

  /** Without naming two million differing bytes. */
  function assertSameBytes (actual, expected) {
    assert.strictEqual(actual.length, expected.length)
    assert.isTrue(actual.every((byte, index) => byte === expected[index]), 'the bytes differ')
  }

  async function sides () {
    const name = await serverDatabase()
    const left = browserDatabase()
    const right = browserDatabase()
    keepInSync(left, name)
    keepInSync(right, name)
    return { name, left, right }
  }

  for (const [what, length] of [['an empty one', 0], ['a small one', 1000], ['a large one', 2_500_000]]) {
    it(`travel to the server and on, binary: ${what}`, async () => {
      const { name, left, right } = await sides()
      const bytes = randomBytes(length)
      await left.put({
        _id: 'photo',
        _attachments: { 'bild 1.png': { content_type: 'image/png', data: new Blob([bytes], { type: 'image/png' }) } }
      })
      await firstChange(right, change => change.id === 'photo')
      const arrived = await right.getAttachment('photo', 'bild 1.png')
      assert.strictEqual(arrived.type, 'image/png')
      assertSameBytes(await bytesOf(arrived), bytes)

      const response = await fetch(`${urlOf(name)}/photo/bild%201.png`)
      assert.strictEqual(response.headers.get('content-type'), 'image/png')
      assertSameBytes(new Uint8Array(await response.arrayBuffer()), bytes)

      const [ours, theirs] = await Promise.all([left, right].map(database => database.get('photo')))
      assert.strictEqual(theirs._attachments['bild 1.png'].digest, ours._attachments['bild 1.png'].digest)
    })
  }

  it('travel when they are added on the server, and back when one of several is replaced', async () => {
    const { name, left, right } = await sides()
    const remote = new PouchDB(urlOf(name))
    const first = randomBytes(400_000)
    const { rev } = await remote.putAttachment('report', 'data.bin', new Blob([first]), 'application/octet-stream')
    await firstChange(left, change => change.id === 'report' && change.changes[0].rev === rev)
    assertSameBytes(await bytesOf(await left.getAttachment('report', 'data.bin')), first)

    const added = await left.putAttachment('report', 'notes.txt', rev, new Blob(['plain text']), 'text/plain')
    const { doc } = await firstChange(right, change => change.id === 'report' && change.changes[0].rev === added.rev)
    assert.sameMembers(Object.keys(doc._attachments), ['data.bin', 'notes.txt'])
    assert.strictEqual(await (await right.getAttachment('report', 'notes.txt')).text(), 'plain text')
    assertSameBytes(await bytesOf(await right.getAttachment('report', 'data.bin')), first)
  })
})
