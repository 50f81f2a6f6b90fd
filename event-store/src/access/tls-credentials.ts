import { ServerCredentials } from '@grpc/grpc-js';
import { type ServerCertificate, serverCertificate } from './tls-files.ts';

const LOOK_MS = 24 * 60 * 60 * 1_000;

/** The server's side of TLS, with a certificate that is renewed while the server runs. */
export class TlsCredentials extends ServerCredentials implements Disposable {
  readonly #timer: NodeJS.Timeout;

  constructor(dataDir: string) {
    super({}, contextOf(serverCertificate(dataDir)));
    const renew = () => {
      try {
        this.updateSecureContextOptions(contextOf(serverCertificate(dataDir)));
      } catch (error) {
        console.error('event store: the certificate could not be renewed:', error);
      }
    };
    this.#timer = setInterval(renew, LOOK_MS).unref();
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

const contextOf = ({ cert, key }: ServerCertificate) => ({ cert, key });
