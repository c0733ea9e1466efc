'use strict'

const { fileErrorInWords, reasonOf } = require('../storage/system-error-text')

/**
 * Says what keeps a server from starting, in words for whoever starts it.
 * @type {Record<string, (error: any, context: { data: string }) => string>}
 */
const messages = {
  EADDRINUSE: ({ address, port }) => port === undefined || port === -1 ? `${address} is in use` : `port ${port} on ${address} is in use; choose another with --port`,
  EADDRNOTAVAIL: ({ address }) => `${address} is no address of this machine`,
  EACCES: error => error.syscall === 'listen' ? cannotListen(error) : fileErrorInWords(error) ?? `permission denied: ${error.message}`,
  LEVEL_LOCKED: (_, { data }) => `the databases in ${data} are in use by another process; end it, or choose another folder with --data`,
  CLUSTER_SETTINGS: ({ message }) => message,
  CONFIG_DAMAGED: ({ message }) => message,
  KEY_FILE: ({ message }) => message,
  OTHER_FOLDER: ({ message }) => message,
  NO_FOLDER: ({ message }) => message,
  NO_SERVER: ({ message }) => message,
  TLS_SETTINGS: ({ message }) => message,
  STORAGE_VOLATILE: (_, { data }) => `${data} is on a file system that forgets everything with a restart of the machine; choose another folder with --data, or take it with --allow-volatile`
}

/** Errors of what the databases live in. */
const OF_DATABASES = /^(LEVEL|STORAGE)_/

/** Linux says so of a Unix socket in a folder that is not there, too. @param {{ address: string, port?: number }} error */
function cannotListen ({ address, port }) {
  return port === undefined || port === -1 ? `cannot listen on ${address}: permission denied, or there is no such folder` : `cannot listen on port ${port} of ${address}: permission denied`
}

/** @param {any} error @param {any} context @returns {Error} with a message that needs no stack */
function startError (error, context) {
  for (let at = error; at; at = at.cause) {
    if (Object.hasOwn(messages, at.code ?? '')) return new Error(messages[at.code](at, context), { cause: error })
  }
  // An error that is no fault of ours has a code; for the rest the stack is wanted.
  if (error.code === undefined) return new Error(error.stack, { cause: error })
  return new Error(OF_DATABASES.test(error.code) ? `cannot open ${context.data}: ${error.message}${reasons(error)}` : inWords(error), { cause: error })
}

/** An error that is about another file, or a host, names it. @param {any} error */
function inWords (error) {
  for (let at = error; at; at = at.cause) {
    const words = fileErrorInWords(at)
    if (words !== null) return words
    if (typeof at.hostname === 'string') return `${at.hostname}: ${reasonOf(at)}`
  }
  return error.message
}

/** An error that ends an import says for itself what it is, unless it is the data folder. @param {any} error @param {any} context */
function importError (error, context) {
  if (error.name === 'ImportError' || error.code === undefined) return error
  return error.code === 'LEVEL_LOCKED' || error.cause?.code === 'LEVEL_LOCKED' ? locked(error, context) : startError(error, context)
}

/** @param {any} cause @param {{ data: string }} context */
function locked (cause, { data }) {
  return new Error(`the databases in ${data} are in use by another process; stop the server, or import into it with --server http://…`, { cause })
}

/** The cause, unless the message has it already. @param {any} error */
function reasons ({ message, cause }) {
  return cause && !message.includes(cause.message) ? ` (${cause.message})` : ''
}

module.exports = { importError, startError }
