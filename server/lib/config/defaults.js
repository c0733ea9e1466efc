'use strict'

/**
 * Values that hold if the ini file says nothing: section → key → value, all text, as in CouchDB.
 * @see https://docs.couchdb.org/en/stable/config/index.html
 * @satisfies {Record<string, Record<string, string>>}
 */
const settings = {
  adaptive_indexes: {
    ask_threshold: '2',
    min_documents: '1000',
    max_indexes: '8',
    max_size: '1073741824',
    max_catch_up: '1000',
    rest_after: '86400',
    drop_after: '2592000'
  },
  attachments: {
    compression_level: '8',
    compressible_types: 'text/*, application/javascript, application/json, application/xml'
  },
  couch_passwords_cache: {
    enable: 'true',
    max_idle: '600000',
    max_objects: '10000'
  },
  couch_peruser: {
    database_prefix: 'userdb-',
    delete_dbs: 'false',
    enable: 'false',
    q: '1'
  },
  couchdb: {
    default_security: 'admin_only',
    max_document_id_length: 'infinity',
    max_document_size: '8000000',
    max_attachment_size: '1073741824',
    max_partition_size: '10737418240',
    single_node: 'true',
    users_db_security_editable: 'false'
  },
  chttpd: {
    admin_only_all_dbs: 'true',
    allow_jsonp: 'false',
    authentication_handlers: '{chttpd_auth, cookie_authentication_handler}, {chttpd_auth, default_authentication_handler}',
    bind_address: '127.0.0.1',
    changes_timeout: '60000',
    decode_plus_to_space: 'true',
    port: '5984',
    workers: 'auto',
    enable_cors: 'true',
    headers_timeout: '60000',
    max_header_size: '32768',
    max_db_number_for_dbs_info_req: '100',
    max_http_request_size: '4294967296',
    max_uri_length: '8000',
    require_valid_user: 'false',
    rewrite_limit: '100',
    scrub_json_request: 'true',
    secure_rewrites: 'true',
    require_valid_user_except_for_up: 'false',
    server_header_versions: 'true',
    socket_mode: '660',
    stall_timeout: '60000',
    release_feeds: 'false',
    trusted_proxies: 'unix',
    validate_host: 'false',
    x_forwarded_host: 'X-Forwarded-Host'
  },
  cluster: {
    address: '',
    cacert_file: '',
    cert_file: '',
    idle: '60',
    key_file: '',
    lifetime: '5',
    listen: '127.0.0.1:0',
    n: '1',
    name: '',
    q: '1',
    secret: ''
  },
  chttpd_auth: {
    allow_conflicted_user_docs: 'false',
    allow_persistent_cookies: 'true',
    auth_cache_size: '10000',
    authentication_redirect: '/_utils/session.html',
    hash_algorithms: 'sha256, sha',
    iterations: '600000',
    max_iterations: '10000000',
    min_iterations: '1',
    password_scheme: 'pbkdf2',
    pbkdf2_prf: 'sha256',
    proxy_use_secret: 'false',
    same_site: 'lax',
    timeout: '600',
    upgrade_hash_on_auth: 'true',
    x_auth_roles: 'X-Auth-CouchDB-Roles',
    x_auth_token: 'X-Auth-CouchDB-Token',
    x_auth_username: 'X-Auth-CouchDB-UserName'
  },
  chttpd_auth_lockout: {
    max_lifetime: '300000',
    max_objects: '10000',
    mode: 'enforce',
    threshold: '5'
  },
  cors: {
    origins: 'loopback',
    credentials: 'true',
    methods: 'GET, HEAD, POST, PUT, DELETE, COPY, OPTIONS',
    headers: 'accept, accept-language, authorization, cache-control, content-encoding, content-language, content-type, destination, if-match, if-modified-since, if-none-match, if-range, last-event-id, origin, pragma, range, referer, x-couch-full-commit, x-csrf-token, x-requested-with',
    max_age: '600'
  },
  httpd: {
    enable_cors: 'true'
  },
  jwt_auth: {
    required_claims: 'exp',
    roles_claim_name: '_couchdb.roles'
  },
  fabric: {
    nouveau_timeout: 'infinity',
    search_timeout: 'infinity'
  },
  global_changes: {
    max_event_delay: '25',
    max_write_delay: '500',
    update_db: 'true'
  },
  ken: {
    batch_channels: '20',
    incremental_channels: '80',
    max_incremental_updates: '1000'
  },
  log: {
    format: 'couchdb',
    level: 'warning',
    write_buffer: '65536',
    write_delay: '50',
    writer: 'stderr'
  },
  live_queries: {
    max_documents: '100000',
    max_queries: '20000',
    max_queries_per_user: '1000'
  },
  dreyfus: {
    limit: '25',
    limit_partitions: '2000',
    max_limit: '200',
    max_limit_partitions: '2000',
    max_group_limit: '200'
  },
  mango: {
    default_limit: '25',
    index_scan_warning_threshold: '10',
    adaptive_indexes: 'true'
  },
  prometheus: {
    additional_port: 'false',
    bind_address: '127.0.0.1',
    port: '17986'
  },
  query_server_config: {
    query_limit: 'infinity',
    partition_query_limit: 'infinity',
    os_process_timeout: '5000',
    os_process_memory: '67108864',
    os_process_limit: '100',
    os_process_soft_limit: '100',
    os_process_idle_limit: '300',
    max_rows_per_document: '100000',
    max_bytes_per_document: '16777216',
    reduce_limit: 'true',
    reduce_limit_threshold: '5000',
    reduce_limit_ratio: '2.0'
  },
  rpc: {
    timeout: '10000',
    max_documents: '1000',
    max_bytes: '8388608',
    max_attempts: '20',
    max_calls: '100'
  },
  scrub: {
    enable: 'true',
    interval: '604800',
    rate: '8388608',
    start_delay: '3600'
  },
  ssl: {
    enable: 'false',
    port: '6984'
  },
  replicator: {
    max_jobs: '500',
    interval: '60000',
    max_churn: '20',
    max_history: '20',
    health_threshold: '120',
    startup_jitter: '5000',
    update_docs: 'false',
    worker_processes: '4',
    worker_batch_size: '500',
    http_connections: '20',
    connection_timeout: '30000',
    retries_per_request: '5',
    use_checkpoints: 'true',
    use_bulk_get: 'true',
    checkpoint_interval: '30000',
    max_document_id_length: 'infinity',
    missing_doc_retry_msec: '2000',
    valid_endpoint_protocols: 'http,https',
    valid_proxy_protocols: 'http,https',
    allowed_hosts: '',
    denied_hosts: '',
    verify_ssl_certificates: 'false'
  },
  transactions: {
    max_documents: '10000',
    max_bytes: '16777216'
  },
  uuids: {
    algorithm: 'sequential',
    max_count: '1000'
  },
  vendor: {
    name: 'Potoroo'
  }
}

/** @typedef {typeof settings} Settings for numbers and switches, which have a default each */

/** @type {Record<string, Record<string, string>>} */
const defaults = settings

module.exports = { defaults }
