import type { Databases } from '@potoroo/document-store'
import type { Storage } from '@potoroo/storage'
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'

/** The app that `app.use('/db', potoroo(options))` mounts. A TypeError: an option is unknown, and the nearest known one is named. */
declare function potoroo (options?: potoroo.PotorooOptions): potoroo.Potoroo

declare namespace potoroo {
  export interface PotorooOptions {
    /** The data folder: configuration (`potoroo.ini`) and databases. Default `./potoroo-data`. */
    path?: string
    /** The storage that the databases live in. Default `auto`: a pool of libpmemobj, but classic-level where it does not load or on an ordinary disk. A URL: PostgreSQL, which servers share. */
    storage?: 'auto' | 'pmem' | 'classic-level' | 'memory' | `postgres://${string}` | `postgresql://${string}`
    /** An abstract-level to live in, instead; it stays open when the service closes. Without `path` the configuration is kept in memory. */
    level?: Storage['level']
    /**
     * Databases that the application has open: `documents.databases` of `@potoroo/document-objects`. They stay open when the service closes.
     * Without `path` the configuration is kept in memory.
     */
    databases?: Databases
    /** Sends traces if OpenTelemetry's variables of the environment ask for it: docs/how-to/monitor.md. Default false, and true of `serve()`. */
    tracing?: boolean
    /** Bytes of a new pool. */
    size?: number
    /** Take a pool on a file system that forgets (tmpfs). */
    allowVolatile?: boolean
    /** Says of a pool off persistent memory whether a write waits for the disk. Default `strict`. */
    durability?: 'strict' | 'relaxed'
    /** Over what the ini file says: section → key → value. Never written down. */
    config?: Record<string, Record<string, string | number | boolean>>
    /** Administrators to make: name → password. Their hashes are kept. */
    admins?: Record<string, string>
    /** Takes the administrator that a first start without any makes; by default it is told on standard error, once. */
    onFirstAdmin?: (admin: { name: string, password: string }) => void
    /** Starts the server again, when `POST /_node/_local/_restart` asks for it; without it that is answered 501. */
    onRestart?: () => void
    /** Everybody is an administrator: for an application that does its own authentication in front. */
    adminParty?: boolean
    /** Takes lines of the log; by default they go to stderr. */
    log?: (text: string) => void
  }

  export interface Potoroo {
    (req: IncomingMessage, res: ServerResponse): void
    /** Resolves when it is open; rejects when it cannot open. */
    ready: Promise<void>
    close (): Promise<void>
    /** Set once it is open. */
    service?: any
  }

  export interface ServeOptions extends PotorooOptions {
    /** 0 for any free port. */
    port?: number
    /** An address, or several with commas between; `any` for all. */
    host?: string
    /** Threads that serve HTTP, where the storage is a pool; auto: one for each core. Default `[chttpd] workers`: auto. */
    workers?: number | 'auto'
    /** Path of a Unix socket to listen on as well. */
    socket?: string
    /** Paths of a certificate and its key in PEM: HTTPS and HTTP/2 as well, on `[ssl] port`. */
    tlsCert?: string
    tlsKey?: string
  }

  export interface Server {
    /** The URL of metrics for whoever reaches it, if `[prometheus] additional_port` says so. */
    metricsUrl?: string
    /** `http://127.0.0.1:5984`, the first of `urls`. */
    url: string
    /** The URLs of each address: plain ones, those with TLS, Unix sockets (`http+unix://%2Frun%2Fpotoroo.sock`). */
    urls: string[]
    /** The server of `url`. */
    server: HttpServer
    service: any
    /** Reads the certificates again. */
    reload (): void
    close (): Promise<void>
  }

  /** A server of its own. Rejects with a TypeError where an option is unknown. */
  export function serve (options?: ServeOptions): Promise<Server>
  export { potoroo }
}

export = potoroo
