'use strict'

/** Requests of that kind before the first that meets a fault. */
const FIRST = 3

const isRegister = ({ url }) => /^\/registers-\d\/register-/.test(url.pathname)
const isInsert = ({ url }) => /^\/registers-\d\/insert-/.test(url.pathname)

/** @returns {(is: boolean) => boolean} whether it is the turn of one that is */
function turn () {
  let count = 0
  return is => is && ++count === FIRST
}

/** @type {import('./tampering-balancer').Planted[]} */
const planted = [
  {
    name: 'an acknowledged write is lost',
    finds: 'acknowledged',
    make () {
      const now = turn()
      return {
        async answer (exchange, balancer) {
          if (!now(exchange.method === 'PUT' && isInsert(exchange))) return false
          return balancer.reply(exchange, 201, { ok: true, id: 'x', rev: '1-00000000000000000000000000000000' })
        }
      }
    }
  },
  {
    name: 'a write that is made is refused',
    finds: 'linearizable',
    make () {
      let done = false
      return {
        async answer (exchange, balancer) {
          if (done || exchange.method !== 'PUT' || !isRegister(exchange)) return false
          const { status, body } = await balancer.fetch(exchange)
          if (status !== 201) return balancer.reply(exchange, status, body)
          done = true
          return balancer.reply(exchange, 409, { error: 'conflict', reason: 'Document update conflict.' })
        }
      }
    }
  },
  {
    name: 'a write takes the place of one that its client did not know',
    finds: 'linearizable',
    make: () => ({
      async answer (exchange, balancer) {
        if (exchange.method !== 'PUT' || !isRegister(exchange)) return false
        const first = await balancer.fetch(exchange)
        if (first.status !== 409) return balancer.reply(exchange, first.status, first.body)
        const { body: { _rev } } = await balancer.fetch({ ...exchange, body: Buffer.alloc(0) }, { method: 'GET' })
        const { status, body } = await balancer.fetch(exchange, { body: { ...JSON.parse(exchange.body.toString()), _rev } })
        return balancer.reply(exchange, status, body)
      }
    })
  },
  {
    name: 'a second writer makes a branch',
    finds: 'branched',
    make () {
      const now = turn()
      return {
        async answer (exchange, balancer) {
          if (!now(exchange.method === 'PUT' && isInsert(exchange))) return false
          const { status, body } = await balancer.fetch(exchange)
          const [, database, id] = exchange.url.pathname.split('/')
          await balancer.fetch(exchange, { method: 'POST', path: `/${database}/_bulk_docs`, body: { new_edits: false, docs: [{ _id: id, _rev: '1-00000000000000000000000000000000' }] } })
          return balancer.reply(exchange, status, body)
        }
      }
    }
  },
  {
    name: 'an engine that is away is a fault of the server',
    finds: 'answers',
    make () {
      const now = turn()
      return {
        async answer (exchange, balancer) {
          return now(exchange.method === 'PUT' && isRegister(exchange)) && balancer.reply(exchange, 500, { error: 'internal_server_error' })
        }
      }
    }
  },
  {
    name: 'an engine that is away is told without a time to try again',
    finds: 'answers',
    make () {
      const now = turn()
      return {
        async answer (exchange, balancer) {
          return now(exchange.method === 'PUT' && isRegister(exchange)) && balancer.reply(exchange, 503, { error: 'service_unavailable' })
        }
      }
    }
  }
]

module.exports = { isRegister, planted, turn }
