import * as asn1 from 'asn1js';
import * as pkijs from 'pkijs';
import { sha256 } from '../platform/node.ts';

/*
 * Time-stamps as in RFC 3161. A token says that a text existed at an instant, signed by an authority
 * that is independent of the product.
 */

const SHA_256 = '2.16.840.1.101.3.4.2.1';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const COMMON_NAME = '2.5.4.3';
/** Granted, and granted with modifications. */
const GRANTED: readonly number[] = [0, 1];
const NONCE_BYTES = 8;

pkijs.setEngine('webcrypto', new pkijs.CryptoEngine({ name: 'webcrypto', crypto }));

/** The authority refused, or its answer is not what was requested. */
export class TimestampFault extends Error {}

/** What a token says. */
export type Timestamp = {
  readonly at: Date;
  /** The common name of the certificate that signed it. */
  readonly authority: string;
};

export type TimestampRequest = {
  /** DER, to be sent as `application/timestamp-query`. */
  readonly der: Uint8Array;
  readonly nonce: Uint8Array;
};

/** A request for a token over the SHA-256 of a text. */
export function timestampRequest(text: string): TimestampRequest {
  // A positive number, whatever its first byte.
  const nonce = Buffer.of(1, ...crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
  const request = new pkijs.TimeStampReq({
    version: 1,
    messageImprint: new pkijs.MessageImprint({
      hashAlgorithm: new pkijs.AlgorithmIdentifier({ algorithmId: SHA_256 }),
      hashedMessage: new asn1.OctetString({ valueHex: bytesOf(sha256(text)) }),
    }),
    nonce: new asn1.Integer({ valueHex: bytesOf(nonce) }),
    // Otherwise no one could verify the token after the authority has changed its certificate.
    certReq: true,
  });
  return { der: new Uint8Array(request.toSchema().toBER()), nonce };
}

/**
 * The token (DER) of an authority's answer, if it is about this text and request. Throws
 * TimestampFault. Whether the authority is trusted shows when the token is verified.
 */
export async function tokenOf(
  answer: Uint8Array,
  text: string,
  { nonce }: Pick<TimestampRequest, 'nonce'>,
): Promise<{ readonly token: Uint8Array } & Timestamp> {
  const response = parsed(
    () => pkijs.TimeStampResp.fromBER(bytesOf(answer)),
    'no time-stamp answer',
  );
  const { status, timeStampToken } = response;
  if (!GRANTED.includes(status.status) || !timeStampToken) {
    throw new TimestampFault(`The authority refused with status ${status.status}`);
  }
  const token = new Uint8Array(timeStampToken.toSchema().toBER());
  const given = infoOf(signedDataOf(token)).nonce;
  if (!given || !Buffer.from(given.valueBlock.valueHexView).equals(nonce)) {
    throw new TimestampFault('The token is the answer to another request');
  }
  return { token, ...(await verified(token, text, null)) };
}

/**
 * What a token (DER) says of a text. The certificate that signed it must lead to one of `trusted`
 * (DER), as of the time of the token: it may have expired since. Throws TimestampFault.
 */
export const verifyTimestamp = (
  token: Uint8Array,
  text: string,
  trusted: readonly Uint8Array[],
): Promise<Timestamp> => verified(token, text, trusted);

async function verified(
  token: Uint8Array,
  text: string,
  trusted: readonly Uint8Array[] | null,
): Promise<Timestamp> {
  const signed = signedDataOf(token);
  const { messageImprint, genTime: at } = infoOf(signed);
  if (messageImprint.hashAlgorithm.algorithmId !== SHA_256) {
    throw new TimestampFault('The token does not use SHA-256');
  }
  const imprint = Buffer.from(messageImprint.hashedMessage.valueBlock.valueHexView);
  if (!imprint.equals(sha256(text))) {
    throw new TimestampFault('The token is of another text');
  }
  const certificates = (trusted ?? []).map((der) =>
    parsed(() => pkijs.Certificate.fromBER(bytesOf(der)), 'no certificate'),
  );
  const result = await signed
    .verify({
      signer: 0,
      data: bytesOf(Buffer.from(text)),
      checkChain: trusted !== null,
      trustedCerts: certificates,
      extendedMode: true,
    })
    .catch((error) => {
      throw new TimestampFault(messageOf(error));
    });
  const { signatureVerified, signerCertificate } = result;
  if (!signatureVerified || !signerCertificate) {
    throw new TimestampFault('The signature of the token is wrong');
  }
  if (!isForTimestamps(signerCertificate)) {
    throw new TimestampFault('The certificate of the token is not one for time-stamps');
  }
  return { at, authority: nameOf(signerCertificate) };
}

/** Whether the bytes are a certificate in DER. */
export function isCertificate(der: Uint8Array): boolean {
  try {
    return pkijs.Certificate.fromBER(bytesOf(der)) !== null;
  } catch {
    return false;
  }
}

/** RFC 3161, 2.3: the one purpose of the certificate, and critical. */
function isForTimestamps({ extensions = [] }: pkijs.Certificate): boolean {
  const usage = extensions.find(({ extnID }) => extnID === pkijs.id_ExtKeyUsage);
  const purposes = usage?.parsedValue?.keyPurposes as readonly string[] | undefined;
  return usage?.critical === true && purposes?.length === 1 && purposes[0] === TIME_STAMPING;
}

function nameOf({ subject }: pkijs.Certificate): string {
  const name = subject.typesAndValues.find(({ type }) => type === COMMON_NAME);
  return String(name?.value.valueBlock.value ?? '');
}

function signedDataOf(token: Uint8Array): pkijs.SignedData {
  return parsed(() => {
    const { content: schema } = pkijs.ContentInfo.fromBER(bytesOf(token));
    const signed = new pkijs.SignedData({ schema });
    const { encapContentInfo } = signed;
    if (encapContentInfo.eContentType !== pkijs.id_eContentType_TSTInfo) {
      throw new Error('Another content');
    }
    // In BER it may come in pieces, which the library does not join.
    const content = encapContentInfo.eContent?.getValue() ?? new ArrayBuffer(0);
    encapContentInfo.eContent = new asn1.OctetString({ valueHex: content });
    return signed;
  }, 'no time-stamp token');
}

const infoOf = ({ encapContentInfo: { eContent } }: pkijs.SignedData): pkijs.TSTInfo =>
  parsed(
    () => pkijs.TSTInfo.fromBER(eContent?.getValue() ?? new ArrayBuffer(0)),
    'no time-stamp token',
  );

function parsed<T>(read: () => T, what: string): T {
  try {
    return read();
  } catch {
    throw new TimestampFault(`The authority's answer is ${what}`);
  }
}

/** A copy in a buffer of its own: the library reads whole buffers. */
const bytesOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

const messageOf = (error: unknown) =>
  String((error as { message?: unknown } | null)?.message ?? error);
