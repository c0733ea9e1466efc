'use strict'

const { execFileSync, spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout } = require('node:timers/promises')
const { freePort } = require('../../../test/support/free-port')
const { processCpu } = require('../run/meters')

const PROGRAMS = { nginx: 'nginx', php: 'php-fpm8.2', database: 'mariadbd', install: 'mariadb-install-db', client: 'mariadb' }

/** Seconds that MariaDB may take to start. */
const PATIENCE = 60

const TABLE = 'CREATE DATABASE people; CREATE TABLE people.person (id VARCHAR(64) PRIMARY KEY, firstName VARCHAR(64) NOT NULL, number INT NOT NULL, updated BOOLEAN NOT NULL DEFAULT FALSE, INDEX (number)) ENGINE=InnoDB'

/** nginx, PHP's process manager and MariaDB, as Debian has them, with people.php. */
class PhpServer {
  #children = []

  /** @returns {string | undefined} a program that is not there */
  static missing () {
    return Object.values(PROGRAMS).find(name => !['/usr/sbin', '/usr/bin'].some(folder => fs.existsSync(path.join(folder, name))))
  }

  /** @param {string} folder */
  static async start (folder) {
    const server = new PhpServer()
    const port = await freePort()
    server.url = `http://127.0.0.1:${port}`
    const socket = path.join(folder, 'db')
    execFileSync(PROGRAMS.install, ['--no-defaults', `--datadir=${folder}/data`, '--auth-root-authentication-method=normal', '--skip-test-db'], { stdio: 'ignore' })
    server.#run(PROGRAMS.database, ['--no-defaults', '--user=root', `--datadir=${folder}/data`, `--socket=${socket}`, '--skip-networking', `--pid-file=${folder}/db.pid`])
    await server.#fill(socket)
    fs.writeFileSync(path.join(folder, 'fpm.conf'), fpmConf(folder))
    server.#run(PROGRAMS.php, ['--nodaemonize', '--allow-to-run-as-root', '--fpm-config', path.join(folder, 'fpm.conf')])
    fs.writeFileSync(path.join(folder, 'nginx.conf'), nginxConf(folder, port, socket))
    server.#run(PROGRAMS.nginx, ['-c', path.join(folder, 'nginx.conf'), '-e', path.join(folder, 'nginx.log')])
    await server.#answers()
    return server
  }

  /** @param {string} program @param {string[]} words */
  #run (program, words) { this.#children.push(spawn(program, words, { stdio: 'ignore' })) }

  /** @param {string} socket */
  async #fill (socket) {
    for (let second = 0; !fs.existsSync(socket) && second < PATIENCE; second++) await setTimeout(1000)
    execFileSync(PROGRAMS.client, ['--no-defaults', `--socket=${socket}`, '-u', 'root', '-e', TABLE])
  }

  async #answers () {
    for (let second = 0; second < PATIENCE; second++) {
      const answer = await fetch(`${this.url}/?number=0`).catch(() => null)
      if (answer?.status === 200) return
      await setTimeout(1000)
    }
    throw new Error('PHP does not answer')
  }

  /** µs of all processes so far. */
  get cpu () { return this.#children.reduce((sum, { pid }) => sum + processCpu(pid), 0) }

  async close () {
    for (const child of this.#children.reverse()) {
      child.kill()
      await once(child, 'exit')
    }
  }
}

/** @param {string} folder */
function fpmConf (folder) {
  return `[global]
error_log = ${folder}/fpm.log
[www]
user = root
listen = ${folder}/php
pm = static
pm.max_children = 10
pm.max_requests = 0
`
}

/** @param {string} folder @param {number} port @param {string} socket */
function nginxConf (folder, port, socket) {
  return `user root;
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 128; }
http {
  access_log off;
  keepalive_requests 100000000;
  server {
    listen 127.0.0.1:${port};
    location / {
      fastcgi_pass unix:${folder}/php;
      fastcgi_param SCRIPT_FILENAME ${path.join(__dirname, 'people.php')};
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param CONTENT_TYPE $content_type;
      fastcgi_param CONTENT_LENGTH $content_length;
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param PATH_NAME $uri;
      fastcgi_param DATABASE_SOCKET ${socket};
    }
  }
}
`
}

module.exports = { PhpServer }
