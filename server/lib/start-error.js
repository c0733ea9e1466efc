'use strict'

/**
 * What keeps a server from starting, in words for whoever starts it.
 * @type {Record<string, (error: any, context: { data: string }) => string>}
 */
const messages = {
  EADDRINUSE: ({ address, port }) => `port ${port} on ${address} is in use; choose another with --port`,
  EADDRNOTAVAIL: ({ address }) => `${address} is no address of this machine`,
  EACCES: ({ message }) => `permission denied: ${message}`,
  LEVEL_LOCKED: (_, { data }) => `the databases in ${data} are in use by another process`,
  NO_FOLDER: ({ message }) => message,
  TLS_SETTINGS: ({ message }) => message,
  STORAGE_VOLATILE: (_, { data }) => `${data} is on a file system that forgets everything with a restart of the machine; choose another folder with --data, or take it with --allow-volatile`
}

/** @returns {Error} with a message that needs no stack */
function startError (error, context) {
  for (let at = error; at; at = at.cause) {
    if (Object.hasOwn(messages, at.code ?? '')) return new Error(messages[at.code](at, context), { cause: error })
  }
  // What is no fault of ours has a code; for the rest the stack is wanted.
  return error.code === undefined ? new Error(error.stack, { cause: error }) : new Error(`cannot open ${context.data}: ${error.message}${reasons(error)}`, { cause: error })
}

/** What ends an import says for itself what it is, unless it is the data folder. */
function importError (error, context) {
  if (error.name === 'ImportError' || error.code === undefined) return error
  return error.code === 'LEVEL_LOCKED' || error.cause?.code === 'LEVEL_LOCKED' ? locked(error, context) : startError(error, context)
}

function locked (cause, { data }) {
  return new Error(`the databases in ${data} are in use by another process; stop the server, or import into it with --server http://…`, { cause })
}

function reasons (error) {
  return error.cause ? ` (${error.cause.message})` : ''
}

module.exports = { importError, startError }
