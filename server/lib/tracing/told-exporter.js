'use strict'

const { ExportResultCode } = require('@opentelemetry/core')

/** @typedef {import('@opentelemetry/sdk-trace-base').SpanExporter} SpanExporter */

/** An exporter that logs once that the collector takes nothing, and once that it does again. @implements {SpanExporter} */
class ToldExporter {
  #exporter
  #log
  #fails = false

  /** @param {SpanExporter} exporter @param {import('../log/log').Log} log */
  constructor (exporter, log) {
    this.#exporter = exporter
    this.#log = log
  }

  /** @type {SpanExporter['export']} */
  export (spans, done) {
    this.#exporter.export(spans, result => {
      this.#tell(result.code !== ExportResultCode.SUCCESS, result.error)
      done(result)
    })
  }

  /** @param {boolean} fails @param {Error | undefined} error */
  #tell (fails, error) {
    if (fails && !this.#fails) this.#log.quote('warning', `The collector of traces takes none: ${error?.message || 'it does not answer'}. They are dropped until it does`)
    if (!fails && this.#fails) this.#log.line('notice', 'The collector of traces takes them again')
    this.#fails = fails
  }

  shutdown () { return this.#exporter.shutdown() }

  forceFlush () { return this.#exporter.forceFlush?.() ?? Promise.resolve() }
}

module.exports = { ToldExporter }
