'use strict'

const assert = require('node:assert/strict')
const http2 = require('node:http2')
const { once } = require('node:events')
const { LinkListener } = require('../../server/lib/cluster/link-listener')
const { proofOf } = require('../../server/lib/cluster/proof')

const SECRET = 'a secret'

describe('the address for other servers', () => {
  /** @type {LinkListener} */
  let listener
  /** @type {number} */
  let port
  /** @type {any[]} */
  let asked
  beforeEach(async () => {
    asked = []
    const answer = async (/** @type {string} */ what) => { asked.push(what) }
    listener = new LinkListener({ id: () => 'me', secret: SECRET, handle: () => assert.fail('A request came through'), answer })
    port = (await listener.listen({ host: '127.0.0.1', port: 0 })).port
  })
  afterEach(() => listener.close())

  /** Begins a meeting. @returns {Promise<{ session: any, stream: any, proof: string }>} */
  async function meet () {
    const session = http2.connect(`http://127.0.0.1:${port}`)
    session.on('error', () => {})
    const stream = session.request({ ':method': 'POST', ':path': '/', 'x-from': 'you', 'x-to': 'me', 'x-nonce': 'once' })
    stream.on('error', () => {})
    const [headers] = await once(stream, 'response')
    return { session, stream, proof: proofOf(SECRET, 'caller', ['you', 'me', 'once', String(headers['x-nonce'])]) }
  }

  /** @param {string} text @param {number} [length] that the frame claims to have */
  function frame (text, length = Buffer.byteLength(text)) {
    const head = Buffer.alloc(9)
    head.writeUInt32BE(length, 0)
    return Buffer.concat([head, Buffer.from(text)])
  }

  for (const text of ['null', '5', '{}', '"hello"', '[]', '[null]', '["hello"]', '["hello",5]', '["hello","wrong"]', '["ask",1,"look","null"]', '{{']) {
    it(`hangs up on ${text}`, async () => {
      const { session, stream } = await meet()
      stream.write(frame(text))
      await once(session, 'close')
      assert.deepEqual(asked, [])
      ;(await meet()).session.destroy()
    })
  }

  it('does not take a proof again', async () => {
    const first = await meet()
    const hello = frame(JSON.stringify(['hello', first.proof]))
    first.stream.write(Buffer.concat([hello, frame('["ask",1,"look","null"]')]))
    await once(first.stream, 'data')
    assert.deepEqual(asked, ['look'])
    first.session.destroy()
    const second = await meet()
    second.stream.write(Buffer.concat([hello, frame('["ask",1,"look","null"]')]))
    await once(second.session, 'close')
    assert.deepEqual(asked, ['look'])
  })

  it('takes nothing long before the proof, and what is long after it', async () => {
    const unknown = await meet()
    unknown.stream.write(frame('[', 100_000))
    await once(unknown.session, 'close')
    const { session, stream, proof } = await meet()
    const long = JSON.stringify(['ask', 1, 'look', JSON.stringify('x'.repeat(100_000))])
    stream.write(Buffer.concat([frame(JSON.stringify(['hello', proof])), frame(long)]))
    await once(stream, 'data')
    assert.deepEqual(asked, ['look'])
    session.destroy()
  })

  it('hangs up on who only keeps the line busy', async () => {
    const { session, stream } = await meet()
    const busy = setInterval(() => session.destroyed || session.ping(() => {}), 100)
    stream.resume()
    await once(session, 'close')
    clearInterval(busy)
    assert.deepEqual(asked, [])
  })
})
