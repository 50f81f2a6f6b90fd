/**
 * The service definitions that the official client ships. They have to be these very modules: the
 * client's messages are compared by class, and share its copies of grpc-js and google-protobuf.
 */

export { default as codePb } from '@eventstore/db-client/generated/code_pb.js';
export { default as gossipGrpc } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
export { default as gossipPb } from '@eventstore/db-client/generated/gossip_pb.js';
export { default as featuresGrpc } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
export { default as featuresPb } from '@eventstore/db-client/generated/serverfeatures_pb.js';
export { default as sharedPb } from '@eventstore/db-client/generated/shared_pb.js';
export { default as statusPb } from '@eventstore/db-client/generated/status_pb.js';
export { default as streamsGrpc } from '@eventstore/db-client/generated/streams_grpc_pb.js';
export { default as streamsPb } from '@eventstore/db-client/generated/streams_pb.js';
export { default as usersGrpc } from '@eventstore/db-client/generated/users_grpc_pb.js';
export { default as usersPb } from '@eventstore/db-client/generated/users_pb.js';
export { default as anyPb } from 'google-protobuf/google/protobuf/any_pb.js';
export { default as emptyPb } from 'google-protobuf/google/protobuf/empty_pb.js';
