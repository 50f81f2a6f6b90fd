import { ServerCredentials } from '@grpc/grpc-js';
import { type ServerCertificate, serverCertificate } from './tls-files.ts';

const LOOK_MS = 24 * 60 * 60 * 1_000;

/** The server's side of TLS, with a certificate that is renewed while the server runs. */
export class TlsCredentials extends ServerCredentials implements Disposable {
  readonly #dataDir: string;
  readonly #timer: NodeJS.Timeout;

  constructor(dataDir: string, now = new Date()) {
    super({}, contextOf(serverCertificate(dataDir, now)));
    this.#dataDir = dataDir;
    this.#timer = setInterval(() => this.renew(new Date()), LOOK_MS).unref();
  }

  /** Shows new connections the certificate that is valid now. */
  renew(now: Date): void {
    try {
      this.updateSecureContextOptions(contextOf(serverCertificate(this.#dataDir, now)));
    } catch (error) {
      console.error('event store: the certificate could not be renewed:', error);
    }
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

const contextOf = ({ cert, key }: ServerCertificate) => ({ cert, key });
