'use strict'

/* global self, location, Worker */

/** Tabs and workers of a page, which share its databases: iframes are tabs that a test can open and kill. */
window.peers = (() => {
  const { later } = window.page
  const { scripts } = window.__karma__.config.potoroo
  const urls = scripts.map(script => new URL(script, location.origin).href)

  /** Runs in a worker: each message is a function as text, and its arguments. */
  function listen () {
    const scope = /** @type {any} */ (self)
    scope.onmessage = async ({ data: { id, code, args } }) => {
      try {
        scope.postMessage({ id, result: await (0, scope.eval)(`(${code})`)(...args) })
      } catch (error) {
        scope.postMessage({ id, error: error.message ?? String(error) })
      }
    }
  }

  function openWorker () {
    const source = `importScripts(${urls.map(url => JSON.stringify(url)).join(', ')});(${listen})()`
    const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })))
    /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
    const asked = new Map()
    let count = 0
    worker.onmessage = ({ data: { id, result, error } }) => {
      const { resolve, reject } = asked.get(id)
      asked.delete(id)
      if (error === undefined) resolve(result)
      else reject(new Error(error))
    }
    worker.onerror = event => { for (const { reject } of asked.values()) reject(new Error(event.message)) }
    return {
      /** Calls a function in the worker, which sees nothing of this page. */
      call: (code, ...args) => new Promise((resolve, reject) => {
        asked.set(++count, { resolve, reject })
        worker.postMessage({ id: count, code: String(code), args })
      }),
      kill: () => worker.terminate()
    }
  }

  async function openTab () {
    const frame = document.createElement('iframe')
    document.body.append(frame)
    const { contentDocument, contentWindow } = frame
    for (const url of urls) {
      const script = contentDocument.createElement('script')
      const loaded = new Promise((resolve, reject) => Object.assign(script, { onload: resolve, onerror: reject }))
      script.src = url
      contentDocument.head.append(script)
      await loaded
    }
    return {
      /** Calls a function in the tab, which sees nothing of this page. */
      call: async (code, ...args) => contentWindow.eval(`(${code})`)(...args),
      kill: () => frame.remove()
    }
  }

  /** @param {'tab' | 'worker'} kind It is killed once the test is over. */
  async function open (kind) {
    const peer = kind === 'tab' ? await openTab() : openWorker()
    later(peer.kill)
    return peer
  }

  return { open }
})()
