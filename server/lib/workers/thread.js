'use strict'

const { once } = require('node:events')
const { parentPort, workerData } = require('node:worker_threads')
const { duplicateDescriptor } = require('@potoroo/storage')
const { createDispatcher } = require('../dispatch/dispatcher')
const { BatchedPort } = require('../passing/batched-port')
const { OwnerClient } = require('../passing/owner-client')
const { createHttpServer } = require('../transport/http-server')
const { dropStandingHeaders } = require('../http/standing-headers')
const { Statistics } = require('../stats/statistics')
const { openStorage } = require('../storage/open-storage')
const { closeServers } = require('../transport/close-servers')
const { Connections } = require('../transport/connections')
const { mayGiveBack, answerable } = require('./answerable')
const { GivenBackError, OwnerOnlyError } = require('./owner-only-error')
const { CommitClient } = require('./prepared-writes')
const { ThreadService } = require('./thread-service')

/**
 * A thread that serves HTTP: it answers by itself what it can read from the pool, prepares writes, and passes
 * everything else on to the thread that owns the databases.
 *
 * @param {any} given
 */
async function main ({ storage, descriptor, sections, settings, version, shared, statistics, isTraced }) {
  const { level, durableAtOnce, close: closeStorage } = await openStorage(storage)
  const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
  const channel = new BatchedPort(port, receive)
  const ownerClient = new OwnerClient(channel)
  const commits = new CommitClient(channel)
  const service = new ThreadService({ level, sections, version, shared: new Int32Array(shared), counts: new Statistics(statistics), write: text => channel.send(['log', text]), isTraced, commit: write => commits.commit(write) })
  const connections = new Connections(settings)
  const server = createHttpServer(service, answererOf(service, ownerClient, durableAtOnce), settings, connections)
  const orders = {
    /** @param {any} configuration */
    configure: configuration => service.configure(configuration),
    stop: () => stop(server, connections, service, closeStorage)
  }

  /** @param {any[]} message */
  function receive (message) {
    const [kind, order] = message
    if (kind === 'written') commits.receive(order, message[2], message[3])
    else if (Object.hasOwn(orders, kind)) orders[/** @type {keyof typeof orders} */ (kind)](order)
    else ownerClient.receive(message)
  }

  server.listen({ fd: duplicateDescriptor(descriptor), backlog: settings.backlog })
  await once(server, 'listening')
  channel.send(['ready'])
}

/**
 * Takes no more connections, lets requests under way finish, and ends the thread.
 *
 * @param {any} server
 * @param {Connections} connections
 * @param {ThreadService} service
 * @param {() => Promise<void>} closeStorage
 */
async function stop (server, connections, service, closeStorage) {
  await closeServers([server], connections)
  await service.close()
  await closeStorage()
  // Messages that were sent go first.
  setImmediate(() => parentPort?.close())
}

/** @param {any} service @param {OwnerClient} ownerClient @param {boolean} isDurableAtOnce @returns {(req: any, res: any) => void} */
function answererOf (service, ownerClient, isDurableAtOnce) {
  /** @param {any} req @param {any} res */
  const passOn = (req, res) => { ownerClient.passOn(req, res, service.learnerOf(req)) }
  const dispatch = createDispatcher(service, () => service, (error, req, res) => {
    if (res.headersSent || !isForOwner(error, req)) return false
    dropStandingHeaders(res)
    service.log.leaveRequest(res)
    passOn(req, res)
    return true
  })
  return (req, res) => {
    const threads = service.vhosts.isEmpty ? answerable(req, isDurableAtOnce) : null
    if (threads === null || !service.knows(req)) return passOn(req, res)
    req.keepsBody = mayGiveBack(threads)
    dispatch(req, res)
  }
}

/** @param {any} req */
function isReading ({ method }) { return method === 'GET' || method === 'HEAD' }

/** Whether the owner has to answer, and can: nothing of the request was used or done. @param {unknown} error @param {any} req */
function isForOwner (error, req) {
  if (!(error instanceof OwnerOnlyError)) return false
  return isReading(req) || req.database === undefined || (error instanceof GivenBackError && req.keepsBody)
}

main(workerData)
