'use strict'

const { isRegister, turn } = require('./writes')

const isInfo = ({ method, url }) => method === 'GET' && /^\/registers-\d$/.test(url.pathname)

/** @type {import('./tampering-balancer').Planted[]} */
const planted = [
  {
    name: 'a read is stale',
    finds: 'linearizable',
    make () {
      /** path → what was read before the last write */
      const old = new Map()
      // A read that began before the answer of the write came to its client may miss it: so all later ones are stale.
      let stale = ''
      return {
        async answer (exchange, balancer) {
          const path = exchange.url.pathname
          if (!isRegister(exchange) || exchange.url.search !== '') return false
          if (exchange.method === 'GET' && path === stale) return balancer.reply(exchange, 200, old.get(path))
          const { status, body } = await balancer.fetch(exchange)
          if (exchange.method === 'GET' && status === 200 && !old.has(path)) old.set(path, body)
          if (exchange.method === 'PUT' && status === 201 && old.has(path)) stale ||= path
          return balancer.reply(exchange, status, body)
        }
      }
    }
  },
  {
    name: 'a revision has two contents',
    finds: 'revisions',
    make () {
      const now = turn()
      return {
        change (exchange, body) {
          return now(exchange.method === 'GET' && isRegister(exchange) && exchange.status === 200) ? { ...body, value: body.value + 1_000_000 } : body
        }
      }
    }
  },
  {
    name: 'a database\'s sequence goes back',
    finds: 'readings',
    make () {
      const read = new Set()
      return {
        change (exchange, body) {
          const name = exchange.url.pathname
          if (!isInfo(exchange)) return body
          if (read.has(name)) return { ...body, update_seq: 0 }
          if (Number.parseInt(body.update_seq, 10) > 0) read.add(name)
          return body
        }
      }
    }
  },
  {
    name: 'servers do not agree on a winner',
    finds: 'agreement',
    make: () => ({
      change ({ url }, body) {
        if (!/_all_docs$/.test(url.pathname) || body.rows.length === 0) return body
        body.rows[0].value.rev = '9-00000000000000000000000000000000'
        return body
      }
    })
  },
  {
    name: 'a PouchDB has another winner',
    finds: 'pouches',
    make: () => ({
      change ({ url }, body) {
        if (url.pathname !== '/synced/_all_docs' || body.rows.length === 0) return body
        body.rows[0].doc._rev = '9-00000000000000000000000000000000'
        return body
      }
    })
  }
]

module.exports = { planted }
