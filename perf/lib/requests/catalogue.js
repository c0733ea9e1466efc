'use strict'

/**
 * @typedef {object} Shape one kind of request, or of work that takes several
 * @property {string} name
 * @property {string} [unit] what a unit of work is called; `request` by default
 * @property {number} [units] of work in one request, 1 by default
 * @property {number} [size] documents in the database before; 1000 by default
 * @property {number} [step] requests in a turn; 250 by default
 * @property {number[]} [connections] how many at once; 1, 10 and 50 by default
 * @property {(client: import('../http/client').Client, state: State & { open: (connections: number) => import('../http/client').Client }) => Promise<any>} [prepare]
 *   untimed, once; what it gives is added to the state
 * @property {(client: import('../http/client').Client, state: any, from: number, step: number) => Promise<void>} [ready]
 *   untimed, before each turn
 * @property {(client: import('../http/client').Client, state: any, n: number) => Promise<any>} request `n` is another number each
 *   time; throws where the answer is not right
 *
 * @typedef {{ size: number, url: string, stamp: string }} State `stamp`: differs from run to run
 */

/** @type {Shape[]} */
const shapes = ['documents', 'changes', 'queries', 'techempower', 'persevere', 'replication'].flatMap(name => require(`./shapes/${name}`))

module.exports = { shapes }
