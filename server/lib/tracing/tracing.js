'use strict'

const { AsyncLocalStorage } = require('node:async_hooks')
const { setTimeout: wait } = require('node:timers/promises')
const { ROOT_CONTEXT, SpanKind, SpanStatusCode, defaultTextMapGetter, defaultTextMapSetter, trace } = require('@opentelemetry/api')
const { W3CTraceContextPropagator } = require('@opentelemetry/core')
const { defaultResource, detectResources, envDetector, resourceFromAttributes } = require('@opentelemetry/resources')
const { BasicTracerProvider, BatchSpanProcessor } = require('@opentelemetry/sdk-trace-base')
const { readBanner } = require('../service/banner')
const { describeAsked, describeRequest } = require('./attributes')
const { ToldExporter } = require('./told-exporter')

/** @typedef {import('@opentelemetry/api').Context} Context */
/** @typedef {import('@opentelemetry/api').Span} Span */
/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/** Milliseconds that a server which stops waits for a collector. */
const FAREWELL = 5000

/**
 * Spans of requests, and of those that the replicator sends. They wait in a queue of a fixed length, and are dropped if the
 * collector does not take them: no request waits for it. It is this server's own, beside any OpenTelemetry of the app around it.
 */
class Tracing {
  #provider
  #tracer
  #propagator = new W3CTraceContextPropagator()
  /** @type {AsyncLocalStorage<Context>} */
  #current = new AsyncLocalStorage()

  /** @param {string} protocol @param {import('../log/log').Log} log */
  constructor (protocol, log) {
    const { version } = readBanner()
    const { OTLPTraceExporter } = protocol === 'http/json' ? require('@opentelemetry/exporter-trace-otlp-http') : require('@opentelemetry/exporter-trace-otlp-proto')
    const own = resourceFromAttributes({ 'service.name': 'potoroo', 'service.version': version })
    this.#provider = new BasicTracerProvider({
      resource: defaultResource().merge(own).merge(detectResources({ detectors: [envDetector] })),
      spanProcessors: [new BatchSpanProcessor(new ToldExporter(new OTLPTraceExporter(), log))]
    })
    this.#tracer = this.#provider.getTracer('potoroo', version)
  }

  /**
   * Answers a request in a span of its own.
   *
   * @param {PotorooRequest} req
   * @param {PotorooResponse} res
   * @param {() => Promise<boolean>} answer false: others answer it, in a span of theirs
   */
  async answer (req, res, answer) {
    // The server asks itself.
    if (req.internal === true && req.passed === undefined) return answer()
    const { name, attributes } = describeRequest(req)
    const from = this.#propagator.extract(ROOT_CONTEXT, req.headers, defaultTextMapGetter)
    const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, from)
    const isOurs = await this.#current.run(trace.setSpan(from, span), answer)
    if (!isOurs || /** @type {any} */ (res).isMoved === true) return isOurs
    end(span, res.statusCode, 500)
    return isOurs
  }

  /** The context of the request that is being answered. @returns {Context | undefined} */
  get current () { return this.#current.getStore() }

  /** Gives headers the trace of the request that is being answered. @param {Record<string, any>} headers */
  pass (headers) {
    const { current } = this
    if (current !== undefined) this.#propagator.inject(current, headers, defaultTextMapSetter)
  }

  /**
   * Sends a request to another server in a span, which ends with the head of its answer.
   *
   * @template {{ statusCode: number }} Answer
   * @param {any} parent as `current` was; undefined: none
   * @param {{ method: string, url: URL, target: string }} request
   * @param {(headers: Record<string, string>) => Promise<Answer>} send with these headers besides
   * @returns {Promise<Answer>}
   */
  async ask (parent, request, send) {
    const from = parent ?? ROOT_CONTEXT
    const span = this.#tracer.startSpan(request.method, { kind: SpanKind.CLIENT, attributes: describeAsked(request) }, from)
    /** @type {Record<string, string>} */
    const headers = {}
    this.#propagator.inject(trace.setSpan(from, span), headers, defaultTextMapSetter)
    try {
      const answer = await send(headers)
      end(span, answer.statusCode, 400)
      return answer
    } catch (error) {
      span.setAttribute('error.type', error.code ?? error.name)
      span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
      throw error
    }
  }

  /** Sends what waits. */
  async close () {
    const late = new AbortController()
    await Promise.race([this.#provider.shutdown().catch(() => {}), wait(FAREWELL, undefined, { signal: late.signal }).catch(() => {})])
    late.abort()
  }
}

/** @param {Span} span @param {number} status of HTTP @param {number} failed from which on it is an error */
function end (span, status, failed) {
  span.setAttribute('http.response.status_code', status)
  if (status >= failed) {
    span.setAttribute('error.type', String(status))
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  span.end()
}

module.exports = { Tracing }
