'use strict'

const { getHeapCodeStatistics } = require('node:v8')

/**
 * Returns what `_system` says: CouchDB's members if this process has something of the kind, in its units
 * (seconds, bytes), and those of ours about the storage.
 *
 * @param {import('../service/request-service').RequestService} service
 * @see https://docs.couchdb.org/en/stable/api/server/common.html#node-node-name-system
 */
function systemFigures (service) {
  const { heapUsed, heapTotal, external, arrayBuffers, rss } = process.memoryUsage()
  const { voluntaryContextSwitches, involuntaryContextSwitches, fsRead, fsWrite } = process.resourceUsage()
  const { code_and_metadata_size: codeBytes } = getHeapCodeStatistics()
  const { threads } = service.queryServer.size
  const storage = service.storage.describe()
  return {
    uptime: Math.floor((Date.now() - service.startedAt) / 1000),
    memory: {
      other: Math.max(0, rss - heapTotal - external),
      processes: heapTotal,
      processes_used: heapUsed,
      binary: external,
      code: codeBytes,
      array_buffers: arrayBuffers
    },
    context_switches: voluntaryContextSwitches + involuntaryContextSwitches,
    io_input: fsRead * 512,
    io_output: fsWrite * 512,
    os_proc_count: threads,
    stale_proc_count: 0,
    process_count: threads + 1,
    message_queues: {},
    internal_replication_jobs: 0,
    distribution: {},
    storage,
    dax: storage.medium === 'persistent memory (DAX)',
    durability: storage.survives ?? null
  }
}

module.exports = { systemFigures }
